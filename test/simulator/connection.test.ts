import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'vitest';
import { startSimulator } from '#simulator/start-simulator.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { askSimulator, script, test } from './ask-simulator.ts';

test('the first byte waits for think_ms and each chunk for pace_ms', async ({ model }) => {
  const thinking = model.fetch(script({ answer: 'abcd', think_ms: 60_000 }));
  const speaking = await model.fetch({
    ...script({ answer: 'abcd', pace_ms: 60_000, piece_chars: 1 }),
    stream: true,
  });
  const reader = speaking.body!.getReader();

  await reader.read();
  const more = reader.read();
  const first = await Promise.race([thinking, more, nextTick('neither')]);
  await model.simulator.stop();

  expect(first).toBe('neither');
  await expect(thinking).rejects.toThrow();
  await expect(more).rejects.toThrow();
});

test('a stream without a pace is sent in one write', async ({ model }) => {
  const response = await model.fetch({ ...script({ answer: 'a'.repeat(1000) }), stream: true });
  let reads = 0;
  for await (const bytes of response.body!) reads += bytes.length ? 1 : 0;

  expect(reads).toBe(1);
});

test('onRequest gets each model request, which is not aborted without a fault', async ({ model }) => {
  let isAborted = false;

  await model.complete(
    { ...script({ answer: 'Hi.' }), temperature: 0.2 },
    { headers: { 'x-client-request-id': 't.1.0' } },
  );
  void model.requests[0]!.aborted.then(() => (isAborted = true));
  await model.complete({});

  expect(model.requests[0]).toMatchObject({ body: { temperature: 0.2 }, headers: { 'x-client-request-id': 't.1.0' } });
  expect(isAborted).toBe(false);
});

test('the simulator notices when a client disconnects in mid-stream', async ({ model }) => {
  const stream = model.stream(script({ answer: 'a long, long story', pace_ms: 60_000, piece_chars: 3 }));

  stream.once('chunk', () => stream.abort());

  await expect(stream.done()).rejects.toThrow(/abort/i);
  await model.requests[0]!.aborted;
});

test('stop ends open answers at once', async () => {
  const model = await askSimulator();
  const thinking = model.fetch(script({ think_ms: 60_000 }));
  const silent = model.fetch(script({ final: { fault: { kind: 'hang' } } }));
  const bothEnd = Promise.allSettled([thinking, silent]);
  await waitUntil(() => expect(model.requests.length).toBe(2));

  await model.simulator.stop();

  expect((await bothEnd).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('the simulator uses the given port, and stop may be called twice', async () => {
  const first = await startSimulator();
  await first.stop();

  const second = await startSimulator({ port: first.port });
  await second.stop();
  await second.stop();

  expect(second.baseUrl).toBe(`http://127.0.0.1:${first.port}/v1`);
});
