import { setImmediate as nextTick } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { takeDeliveries } from '#core/checkpoint/webhooks/take-deliveries.ts';
import { createHarness, type Harness, letTimePass, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer, type ReceivedRequest } from '#test/harness/servers/external-server.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { test } from '#test/harness/test.ts';
import { createEndpoint } from '#test/harness/webhook-endpoint.ts';

const look = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };
const threeRounds = scripted({ rounds: [{ tools: [look] }, { tools: [look] }], answer: 'Sunny.' });
const tools = ['weather_lookup'];
const events = ['round.completed', 'turn.completed'];
const inOrder = ['round.completed 1', 'round.completed 2', 'round.completed 3', 'turn.completed'];

/** Returns the types of the events, in order of arrival. */
function receivedTypes(caught: ReceivedRequest[]): string[] {
  return caught.map(({ body }) => {
    const { type, data } = JSON.parse(body);
    return data.round ? `${type} ${data.round.number}` : type;
  });
}

/** Runs the turn and sends no delivery. */
async function workTurnsOnly(harness: Harness): Promise<void> {
  while (await harness.workOnce());
}

/** Returns room for this number of deliveries to the same receiver. */
const roomFor = (free: number) => ({
  ...{ free, firsts: 0, projects: [], receivers: [], answering: [], doubtful: [], hanging: [] },
  unknown: { project: free, receiver: free },
});

describeQueue(({ redis }) => {
  test('a slow receiver gets the events of a turn in order, each once', async () => {
    await using harness = await createHarness({ redis });
    await using receiver = await openExternalServer(() => null);
    await using _worker = await startBackgroundWorker(harness);

    await harness.startTurn({ input: threeRounds, tools, webhook: { url: receiver.url, events } });
    for (let number = 1; number <= inOrder.length; number += 1) {
      const caught = await receiver.arrival(number);
      expect(receiver.caught).toHaveLength(number);
      caught.answer({ status: 200 });
    }

    expect(receivedTypes(receiver.caught)).toEqual(inOrder);
  });
});

test('workers that poll at the same time deliver the events of a turn in order, once', async ({ harness }) => {
  await using receiver = await openExternalServer();
  await createEndpoint(harness, receiver.url, { events });
  await harness.startTurn({ input: threeRounds, tools });
  await workTurnsOnly(harness);

  await Promise.all([harness.deliver(), harness.deliver(), harness.deliver()]);
  await harness.deliver();

  expect(receivedTypes(receiver.caught)).toEqual(inOrder);
});

test('an event that failed once delays no other event, and is retried at its time', async ({ harness }) => {
  await using receiver = await openExternalServer((number) => ({ status: number === 1 ? 500 : 200 }));

  await harness.runTurn({ input: threeRounds, tools, webhook: { url: receiver.url, events } });
  await letTimePass(harness);

  expect(receivedTypes(receiver.caught)).toEqual([...inOrder, 'round.completed 1']);
});

test('two receivers of a turn do not wait for each other', async ({ harness }) => {
  await using slow = await openExternalServer(() => null);
  await using quick = await openExternalServer();
  await createEndpoint(harness, slow.url, { events });
  await createEndpoint(harness, quick.url, { events });
  await using _worker = await startBackgroundWorker(harness);

  await harness.startTurn({ input: threeRounds, tools });
  await Promise.all([quick.arrival(4), slow.arrival(1)]);
  const bySlow = receivedTypes(slow.caught);
  slow.caught[0]?.answer({ status: 410 });

  expect(receivedTypes(quick.caught)).toEqual(inOrder);
  expect(bySlow).toEqual([inOrder[0]]);
});

test('events without a notified worker are delivered in order', async ({ harness, receiver }) => {
  await harness.startTurn({ input: threeRounds, tools, webhook: { url: receiver.url, events } });
  await workTurnsOnly(harness);

  await letTimePass(harness);

  expect(receivedTypes(receiver.caught)).toEqual(inOrder);
});

test('an event of a lost worker delays others at most for its lease, and is sent again', async ({ harness }) => {
  await using receiver = await openExternalServer();
  await harness.startTurn({ input: threeRounds, tools, webhook: { url: receiver.url, events } });
  await workTurnsOnly(harness);

  await takeDeliveries(harness.db, roomFor(1));
  await harness.deliver();
  const whileLeased = receivedTypes(receiver.caught);
  await harness.advance(21_000);
  await harness.deliver();

  expect(whileLeased).toEqual([]);
  expect(receivedTypes(receiver.caught).sort()).toEqual(inOrder);
});

test('workers that poll for a delivery at the same time make a single attempt', async ({ harness }) => {
  await using receiver = await openExternalServer(() => null);
  await harness.startTurn({ input: 'Hi', webhook: { url: receiver.url } });
  await workTurnsOnly(harness);

  const working = [harness.deliver(), harness.deliver(), harness.deliver()];
  (await receiver.arrival(1)).answer({ status: 200 });
  await Promise.all(working);

  expect(receiver.caught).toHaveLength(1);
});

test('a worker killed between a 200 and its commit sends the event again, with its id', async ({ harness }) => {
  await using receiver = await openExternalServer(() => null);
  await using worker = await startProcess('worker', harness.env);
  await harness.startTurn({ input: 'Hi', webhook: { url: receiver.url } });
  const arrived = await receiver.arrival(1);

  await harness.db.transaction().execute(async (trx) => {
    await trx.selectFrom('deliveries').select('id').forUpdate().execute();
    arrived.answer({ status: 200 });
    const saving = await commitUnderWay(harness);
    await worker.kill('SIGKILL');
    await sql`select pg_terminate_backend(${saving})`.execute(harness.db);
  });
  await harness.advance(21_000);
  await harness.rescue();
  const working = harness.workUntilIdle();
  (await receiver.arrival(2)).answer({ status: 200 });
  await working;

  expect(receiver.caught.map(({ headers }) => headers['webhook-id'])).toEqual(
    Array(2).fill(receiver.caught[0]?.headers['webhook-id']),
  );
  expect(await harness.db.selectFrom('deliveries').select(['status', 'attempts']).execute()).toEqual([
    { status: 'delivered', attempts: 1 },
  ]);
});

/** Returns the server process that waits for the lock on a delivery, to save its result. */
async function commitUnderWay({ db }: Harness): Promise<number> {
  for (;;) {
    const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity where wait_event_type = 'Lock'
      and datname = current_database() and query like '%delivery_attempts%'`.execute(db);
    if (rows[0]) return rows[0].pid;
    await nextTick();
  }
}
