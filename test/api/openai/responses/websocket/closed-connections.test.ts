import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { startApi } from '#services/api/start-api.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { test } from '../../test.ts';
import { openSocket, responseOf, type Socket } from './open-socket.ts';

const input = scripted({ answer: 'Hello.' });
const lanes = [undefined, 'one', 'two'];

async function statuses({ call }: Harness): Promise<string[]> {
  const { body } = await call<{ data: TurnResource[] }>('GET', '/v1/turns');
  return body.data.map(({ status }) => status).sort();
}

const untilStatuses = (harness: Harness, expected: string[]) =>
  waitUntil(async () => expect(await statuses(harness)).toEqual(expected));

const createdOn = ({ seen }: Socket) => seen.filter(({ type }) => type === 'response.created');

/** Creates a response on each lane, and another response that waits on the lane `one`. */
async function fillLanes(socket: Socket): Promise<void> {
  for (const stream_id of lanes) socket.create({ input, ...(stream_id && { stream_id }) });
  socket.create({ input: 'Later.', stream_id: 'one' });
  await socket.until(() => createdOn(socket).length === lanes.length);
}

describeQueue(({ redis }) => {
  test.each([
    ['closes', (socket: Socket) => socket.close()],
    ['loses', (socket: Socket) => socket.socket.terminate()],
  ])('a client that %s the connection cancels its running responses', async (_, leave) => {
    await using harness = await createHarness({ redis });
    await using ended = await openSocket(harness);
    await using socket = await openSocket(harness);
    await using _worker = await startBackgroundWorker(harness);
    await ended.ask({ input });
    const { reached, open } = harness.holdModel();
    await fillLanes(socket);
    await reached;

    leave(socket);

    await untilStatuses(harness, [...lanes.map(() => 'cancelled'), 'completed']);
    open();
    expect(JSON.stringify(harness.modelRequests)).not.toContain('Later.');
  });
});

test('a client that closes its connection cancels queued responses', async ({ harness }) => {
  await using socket = await openSocket(harness);
  await fillLanes(socket);

  socket.close();

  await untilStatuses(harness, ['cancelled', 'cancelled', 'cancelled']);
  await harness.workUntilIdle();
  expect(harness.modelRequests).toEqual([]);
});

test('running responses continue after a close if the upgrade requested it', async ({ harness }) => {
  await using socket = await openSocket(harness, { headers: { 'pawl-on-disconnect': 'continue' } });
  await using other = await openSocket(harness);
  for (const stream_id of ['one', 'two']) socket.create({ input, stream_id });
  other.create({ input });
  await Promise.all([
    socket.until(() => createdOn(socket).length === 2),
    other.until(() => createdOn(other).length === 1),
  ]);

  socket.close();
  await socket.closed;
  other.close();
  await untilStatuses(harness, ['cancelled', 'queued', 'queued']);
  await harness.workUntilIdle();

  expect(await statuses(harness)).toEqual(['cancelled', 'completed', 'completed']);
});

test('a close does not cancel ended responses or responses of another connection', async ({ harness, socket }) => {
  await using other = await openSocket(harness);
  const { id } = responseOf(await socket.ask({ input }));
  const { reached, open } = harness.holdModel();
  const { answered } = other.create({ input });
  await reached;

  socket.close();
  await socket.closed;
  open();

  expect(responseOf(await answered).status).toBe('completed');
  expect(await harness.findTurn(id.replace('resp_', 'turn_'))).toMatchObject({ status: 'completed' });
});

test('closing a connection cancels an unstored response too', async ({ harness }) => {
  await using socket = await openSocket(harness);
  socket.create({ input, store: false });
  await socket.until(() => createdOn(socket).length === 1);

  socket.close();

  const unstored = harness.db.selectFrom('turn_states').select('status');
  await waitUntil(async () => expect(await unstored.execute()).toEqual([{ status: 'cancelled' }]));
});

test('an API that stops closes its connections and cancels no response', async ({ harness }) => {
  const stopping = await startApi(harness.parts, harness.settings, harness.log);
  await using idle = await openSocket(stopping);
  await using socket = await openSocket(stopping);
  await fillLanes(socket);

  await stopping.close(10_000);

  const closed = await Promise.all([idle.closed, socket.closed]);
  expect(closed.map(({ code }) => code)).toEqual([expect.any(Number), expect.any(Number)]);
  for (const { code } of closed) expect([1001, 1012]).toContain(code);
  expect(await statuses(harness)).toEqual(['queued', 'queued', 'queued']);
  await harness.workUntilIdle();
  expect(await statuses(harness)).toEqual(['completed', 'completed', 'completed']);
});

test('an API that stops without grace disconnects clients and cancels no response', async ({ harness }) => {
  const stopping = await startApi(harness.parts, harness.settings, harness.log);
  await using socket = await openSocket(stopping);
  await fillLanes(socket);
  socket.socket.pause();

  await stopping.close(0);
  socket.socket.resume();
  await socket.closed;

  expect(await statuses(harness)).toEqual(['queued', 'queued', 'queued']);
});
