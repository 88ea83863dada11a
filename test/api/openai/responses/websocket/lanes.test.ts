import { expect } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { test } from '../../test.ts';
import { openSocket, responseOf, type Socket } from './open-socket.ts';

const input = scripted({ answer: 'Hello.' });
const many = <Made>(count: number, make: (index: number) => Made) => Array.from({ length: count }, (_, at) => make(at));
const lane = (index: number) => `lane-${index}`;
const statusOf = (messages: Parameters<typeof responseOf>[0]) => responseOf(messages).status;
const createdOn = (socket: Socket) =>
  socket.seen.filter(({ type }) => type === 'response.created').map(({ stream_id }) => stream_id);

const countTurns = async ({ call }: Harness) =>
  (await call<{ data: unknown[] }>('GET', '/v1/turns?limit=100')).body.data.length;

/** Waits until the server has read everything that the socket has sent so far. */
async function untilRead(socket: Socket): Promise<void> {
  await socket.refused('This is not JSON.');
}

test.each([{}, { stream_id: 'one' }])('requests of the lane %o run in sequence', async (fields) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness);
  const { reached, open } = harness.holdModel(1);

  const answers = many(3, (index) => socket.create({ input: scripted({ answer: `Number ${index}.` }), ...fields }));
  await reached;
  await untilRead(socket);
  const [turns, requests] = [await countTurns(harness), harness.modelRequests.length];
  open();
  const ended = await Promise.all(answers.map(({ answered }) => answered));

  expect([turns, requests]).toEqual([1, 1]);
  expect(ended.map((messages) => responseOf(messages).output[0]?.content?.[0]?.text)).toEqual(
    many(3, (index) => `Number ${index}.`),
  );
  const kinds = socket.seen.flatMap(({ type }) => (/created|completed/.test(type) ? [type] : []));
  expect(kinds).toEqual(many(3, () => ['response.created', 'response.completed']).flat());
});

test('responses of different lanes, and without a lane, run at the same time', async ({ harness, socket }) => {
  const { open } = harness.holdModel();

  const lanes = [undefined, 'one', 'two', 'three'];
  const answers = lanes.map((stream_id) => socket.create({ input, ...(stream_id && { stream_id }) }));
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(lanes.length));
  open();

  for (const { answered } of answers) expect(statusOf(await answered)).toBe('completed');
  expect(new Set(createdOn(socket))).toEqual(new Set(lanes));
});

test('a refused request does not block its lane', async ({ socket }) => {
  const answers = [{ input }, { input: [] }, { input, temperature: 9 }, { input }].map(socket.create);
  const ended = await Promise.all(answers.map(({ answered }) => answered));

  expect(ended.map((messages) => messages.at(-1)?.type)).toEqual([
    ...['response.completed', 'error', 'error', 'response.completed'],
  ]);
});

test('a failed response does not block its lane', async ({ socket }) => {
  const fails = scripted({ final: { fault: { kind: 'status', status: 401 } } });

  const answers = [{ input: fails }, { input }].map(socket.create);
  const ended = await Promise.all(answers.map(({ answered }) => answered));

  expect(ended.map((messages) => messages.at(-1)?.type)).toEqual(['response.failed', 'response.completed']);
});

test('a connection runs 16 responses at a time, and queues further responses', async ({ harness }) => {
  await using _worker = await startBackgroundWorker(harness, { concurrency: 40 });
  await using socket = await openSocket(harness);
  const { open } = harness.holdModel();

  const answers = many(20, (index) => socket.create({ input, stream_id: lane(index) }));
  await waitUntil(() => expect(harness.modelRequests.length).toBeGreaterThanOrEqual(16));
  await untilRead(socket);
  const running = [await countTurns(harness), harness.modelRequests.length];
  open();
  const ended = await Promise.all(answers.map(({ answered }) => answered));

  expect(running).toEqual([16, 16]);
  expect(ended.map((messages) => messages.at(-1)?.type)).toEqual(many(20, () => 'response.completed'));
});

test('a connection has at most 32 named lanes, and a lane without a name', async ({ harness, socket }) => {
  for (let index = 0; index < 32; index += 1) await socket.ask({ input, stream_id: lane(index) });
  const last = (await socket.ask({ input, stream_id: 'one-more' })).at(-1);

  const refusal = { type: 'invalid_request_error', code: 'websocket_stream_limit_reached', param: 'stream_id' };
  expect.soft(last).toMatchObject({ type: 'error', status: 400, stream_id: 'one-more', error: refusal });
  for (const fields of [{ stream_id: lane(0) }, { stream_id: lane(31) }, {}]) {
    expect(statusOf(await socket.ask({ input, ...fields }))).toBe('completed');
  }
  await using other = await openSocket(harness);
  expect(statusOf(await other.ask({ input, stream_id: 'one-more' }))).toBe('completed');
});

test('sockets do not wait for each other, and receive only their own events', async ({ harness }) => {
  await using _worker = await startBackgroundWorker(harness, { concurrency: 40 });
  const sockets = await Promise.all(many(5, () => openSocket(harness)));
  const { open } = harness.holdModel();

  const answers = sockets.map((socket, index) =>
    socket.create({ input: scripted({ answer: `Number ${index}.` }), stream_id: 'one' }),
  );
  await waitUntil(() => expect(harness.modelRequests).toHaveLength(5));
  open();
  const ended = await Promise.all(answers.map(({ answered }) => answered));

  for (const [index, messages] of ended.entries()) {
    expect(responseOf(messages).output[0]?.content?.[0]?.text).toBe(`Number ${index}.`);
    expect(sockets[index]!.seen).toEqual(messages);
  }
  await Promise.all(sockets.map((socket) => socket[Symbol.asyncDispose]()));
});
