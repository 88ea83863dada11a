import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { openStream, type Seen } from '#test/api/stream/open-stream.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { event, openaiWire } from '#test/llm/openai-wire.ts';
import { startWireServer, type WireServer } from '#test/llm/wire-server.ts';
import { deltasOf, openSocket, responseOf, type Socket } from './open-socket.ts';

const LINES = 10;
const lines = Array.from({ length: LINES }, (_, index) => `${String(index).repeat(49_999)}\n`);
const whole = lines.join('');
const isDelta = ({ type }: { type: string }) => type === 'response.output_text.delta';
const written = (seen: Seen[]) => seen.filter(isDelta).reduce((sum, { data }) => sum + String(data.delta).length, 0);

async function turns({ call }: Harness): Promise<TurnResource[]> {
  return (await call<{ data: TurnResource[] }>('GET', '/v1/turns?limit=100')).body.data;
}

const FILLERS = 8;

/** Creates concurrent responses with more events than the kernel buffers for a client that does not read. */
async function fillConnection(socket: Socket, harness: Harness, server: WireServer): Promise<void> {
  const begin = Promise.withResolvers<void>();
  server.answer({ body: [begin.promise, ...openaiWire.reply({ text: ['x'.repeat(300_000)] })] });
  const before = server.asked.length;
  for (let index = 0; index < FILLERS; index += 1) socket.create({ input: 'Hi', stream_id: `lane-${index}` });
  await waitUntil(() => expect(server.asked).toHaveLength(before + FILLERS));
  begin.resolve();
  await waitUntil(async () => {
    expect((await turns(harness)).filter(({ status }) => status === 'completed')).toHaveLength(FILLERS);
  });
}

test('a client that does not read gets every event later, in few large deltas', async () => {
  await using server = await startWireServer();
  await using harness = await createHarness({ env: { OPENAI_BASE_URL: server.origin } });
  await using _worker = await startBackgroundWorker(harness, { concurrency: FILLERS + 1 });
  await using slow = await openSocket(harness);
  const gates = lines.map(() => Promise.withResolvers<void>());
  const body = lines.flatMap((content, index) => [gates[index]!.promise, event({ content })]);
  server.answer({ body: [...body, ...openaiWire.finished('stop', '')] });
  const { answered } = slow.create({ input: 'Hi' });
  const { id } = responseOf([await slow.until((seen) => seen.find(({ type }) => type === 'response.created'))]);
  slow.socket.pause();
  await waitUntil(() => expect(server.asked).toHaveLength(1));
  await fillConnection(slow, harness, server);

  const quick = await openStream(`${harness.url}/v1/responses/${id}?stream=true`, {});
  for (const [index, gate] of gates.entries()) {
    gate.resolve();
    await quick.until((seen) => written(seen) >= (index + 1) * 50_000);
  }
  await quick.over;
  slow.socket.resume();
  const events = await answered;

  expect(events.filter(isDelta).length).toBeLessThan(quick.seen.filter(isDelta).length / 4);
  expect(deltasOf(events) === whole).toBe(true);
  expect(responseOf(events).output[0]?.content?.[0]?.text === whole).toBe(true);
  const isCompleted = ({ type }: { type: string }) => type === 'response.completed';
  await slow.until((seen) => seen.filter(isCompleted).length === FILLERS + 1);
});

test('a client that does not read does not block other connections', async () => {
  await using server = await startWireServer();
  await using harness = await createHarness({ env: { OPENAI_BASE_URL: server.origin } });
  await using _worker = await startBackgroundWorker(harness);
  await using slow = await openSocket(harness);
  await using quick = await openSocket(harness);
  server.answer({ body: openaiWire.reply({ text: ['Hello.'] }) });
  const hello = responseOf(await quick.ask({ input: 'Hi', store: false }));
  slow.socket.pause();
  await fillConnection(slow, harness, server);

  const next = responseOf(await quick.ask({ input: 'And?', store: false, previous_response_id: hello.id }));
  expect(next.status).toBe('completed');
  slow.socket.terminate();
});
