import { expect } from 'vitest';
import { BODY_BOUNDS } from '#core/bounds/body-bounds.ts';
import { startApi } from '#services/api/start-api.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { openSocket, responseOf } from './open-socket.ts';

const input = scripted({ answer: 'Hello.' });
const many = <Made>(count: number, make: (index: number) => Made) => Array.from({ length: count }, (_, at) => make(at));
const expired = {
  ...{ type: 'error', status: 400 },
  error: {
    ...{ type: 'invalid_request_error', code: 'websocket_connection_limit_reached' },
    ...{ message: expect.any(String), param: null },
  },
};

/** Starts another API process. `expire` ends the time of its connections. */
async function startTimed({ parts, settings, log }: Harness) {
  const expiring: (() => void)[] = [];
  const api = await startApi(parts, settings, log, (expire) => {
    expiring.push(expire);
    return () => {};
  });
  const expire = () => {
    for (const each of expiring) each();
  };
  return { url: api.url, expire, [Symbol.asyncDispose]: () => api.close(0) };
}

test('a connection at its time limit gets an error and is closed', async ({ harness }) => {
  await using api = await startTimed(harness);
  await using socket = await openSocket(api);

  api.expire();
  const { code } = await socket.closed;

  expect(socket.seen).toEqual([expired]);
  expect(code).toBe(1000);
});

test('a response that runs at the time limit of its connection ends before the close', async ({ harness }) => {
  await using api = await startTimed(harness);
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(api);
  const { reached, open } = harness.holdModel(1);
  const { answered } = socket.create({ input, stream_id: 'one' });
  await reached;

  api.expire();
  const late = await socket.ask({ input, generate: false, stream_id: 'two' });
  open();
  const messages = await answered;
  await socket.closed;

  expect(late).toEqual([{ ...expired, stream_id: 'two' }]);
  expect(responseOf(messages).status).toBe('completed');
  expect(socket.seen.at(-1)).toEqual(expired);
});

test('each create request counts as a request of its project', async () => {
  const projects = { web: { keys: ['key-of-web'], requests_per_minute: 2 } };
  await using harness = await createHarness({ env: { PAWL_PROJECTS: JSON.stringify(projects) } });
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness, { key: 'key-of-web' });

  const ended = [await socket.ask({ input }), await socket.ask({ input }), await socket.ask({ input })];

  expect(ended.map((messages) => messages.at(-1)?.type)).toEqual(['response.completed', 'response.completed', 'error']);
  expect(ended[2]?.at(-1)).toMatchObject({ status: 429, error: { code: 'quota_exceeded' } });
});

test('a connection limits unanswered messages, and answers all accepted messages', async ({ harness, socket }) => {
  const { reached, open } = harness.holdModel(1);
  socket.create({ input });
  await reached;

  const prepare = { type: 'response.create', model: 'test', input, generate: false };
  for (let sent = 0; sent < 500; sent += 1) socket.send(prepare);
  const refusal = await socket.until((seen) => seen.find(({ type }) => type === 'error'));
  open();

  expect(refusal).toMatchObject({ status: 429, error: { code: expect.any(String) } });
  const completed = await socket.until((seen) => {
    const answers = seen.filter(({ type }) => /^error$|completed$/.test(type));
    return answers.length === 501 && answers.filter(({ type }) => type === 'response.completed');
  });
  expect(completed.length).toBeGreaterThan(32);
  expect(socket.socket.readyState).toBe(socket.socket.OPEN);
});

test('large messages that wait for their lane do not block other connections', async ({ harness, worker: _ }) => {
  const { reached, open } = harness.holdModel(1);
  const large = { input: 'x'.repeat(2 * BODY_BOUNDS.smallBytes), generate: false };
  await using first = await openSocket(harness);
  first.create({ input });
  await reached;
  const rooms = Math.ceil(BODY_BOUNDS.allBytes / harness.settings.PAWL_BODY_LIMIT);
  const sockets = await Promise.all(many(Math.ceil(rooms / 50) + 1, () => openSocket(harness)));
  const { open: openLanes, reached: lanesReached } = harness.holdModel();
  for (const socket of sockets) socket.create({ input });
  await lanesReached;
  for (const socket of sockets) many(50, () => socket.create(large));

  await using other = await openSocket(harness);
  expect(responseOf(await other.ask(large)).status).toBe('completed');
  open();
  openLanes();
  for (const socket of sockets) socket.socket.terminate();
});

test('messages that arrive in many small frames are read whole', async ({ socket }) => {
  const text = JSON.stringify({ type: 'response.create', model: 'test', input, instructions: 'é🐢'.repeat(50_000) });
  const bytes = Buffer.from(text);

  for (let from = 0; from < bytes.length; from += 997) {
    const fin = from + 997 >= bytes.length;
    socket.socket.send(bytes.subarray(from, from + 997), { fin, binary: false });
  }

  const last = await socket.until((seen) => seen.find(({ type }) => type === 'response.completed'));
  expect(responseOf([last]).instructions).toBe('é🐢'.repeat(50_000));
});
