import { setImmediate as nextTick } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { takeDelivery } from '#core/checkpoint/take-delivery.ts';
import { createWorld, type World } from '#test/world/create-world.ts';
import { letTimePass } from '#test/world/let-time-pass.ts';
import { openLiveWorker } from '#test/world/live-worker.ts';
import { describeQueues } from '#test/world/queues.ts';
import { scripted } from '#test/world/scripted.ts';
import { startProcess } from '#test/world/start-process.ts';
import { type Caught, openStranger } from '#test/world/stranger.ts';
import { createEndpoint } from '#test/world/webhook-endpoint.ts';

const look = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };
const threeRounds = scripted({ rounds: [{ tools: [look] }, { tools: [look] }], answer: 'Sunny.' });
const tools = ['weather_lookup'];
const events = ['round.completed', 'turn.completed'];
const inOrder = ['round.completed 1', 'round.completed 2', 'round.completed 3', 'turn.completed'];

/** What was told, in short, in the order in which it arrived. */
function toldBy(caught: Caught[]): string[] {
  return caught.map(({ body }) => {
    const { type, data } = JSON.parse(body);
    return data.round ? `${type} ${data.round.number}` : type;
  });
}

/** Does the work of the turn itself and loses every job of a delivery. */
async function workTurnsOnly(world: World): Promise<void> {
  while (await world.workOnce(async (job) => (job.name === 'deliver-webhook' ? undefined : world.handle(job))));
}

describeQueues(({ redis }) => {
  test('a receiver that takes its time hears of a turn in order, each event once', async () => {
    await using world = await createWorld({ redis });
    await using receiver = await openStranger(() => null);
    await using _worker = await openLiveWorker(world);

    await world.startTurn({ input: threeRounds, tools, webhook: { url: receiver.url, events } });
    for (let number = 1; number <= inOrder.length; number += 1) {
      const caught = await receiver.arrival(number);
      expect(receiver.caught).toHaveLength(number);
      caught.answer({ status: 200 });
    }

    expect(toldBy(receiver.caught)).toEqual(inOrder);
  });
});

test('jobs that come in the wrong order, and twice, tell in the right one, once', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  await createEndpoint(world, receiver.url, { events });
  await world.startTurn({ input: threeRounds, tools });
  await workTurnsOnly(world);
  const deliveries = await world.db.selectFrom('deliveries').select('id').orderBy('id', 'desc').execute();

  for (const { id } of [...deliveries, ...deliveries]) {
    await world.handle({ name: 'deliver-webhook', data: { deliveryId: id } });
  }
  await world.workUntilIdle();

  expect(toldBy(receiver.caught)).toEqual(inOrder);
});

test('an event that failed once holds up no other: it comes again in its own time', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger((number) => ({ status: number === 1 ? 500 : 200 }));

  await world.startTurn({ input: threeRounds, tools, webhook: { url: receiver.url, events } });
  await world.workUntilIdle();
  await letTimePass(world);

  expect(toldBy(receiver.caught)).toEqual([...inOrder, 'round.completed 1']);
});

test('two receivers of one turn do not wait for each other', async () => {
  await using world = await createWorld();
  await using slow = await openStranger(() => null);
  await using quick = await openStranger();
  await createEndpoint(world, slow.url, { events });
  await createEndpoint(world, quick.url, { events });
  await using _worker = await openLiveWorker(world);

  await world.startTurn({ input: threeRounds, tools });
  await Promise.all([quick.arrival(4), slow.arrival(1)]);
  const bySlow = toldBy(slow.caught);
  slow.caught[0]?.answer({ status: 410 });

  expect(toldBy(quick.caught)).toEqual(inOrder);
  expect(bySlow).toEqual([inOrder[0]]);
});

test('lost rings are rung again, and the order is kept', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  await world.startTurn({ input: threeRounds, tools, webhook: { url: receiver.url, events } });
  await workTurnsOnly(world);

  await letTimePass(world);

  expect(toldBy(receiver.caught)).toEqual(inOrder);
});

test('an event whose worker is lost holds up the others no longer than its hold, and comes again', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger();
  await world.startTurn({ input: threeRounds, tools, webhook: { url: receiver.url, events } });
  await workTurnsOnly(world);
  const deliveries = await world.db.selectFrom('deliveries').select('id').orderBy('id').execute();
  const deliver = (number: number) =>
    world.handle({ name: 'deliver-webhook', data: { deliveryId: deliveries[number - 1]!.id } });

  await takeDelivery(world.db, deliveries[0]!.id);
  await deliver(2);
  const whileHeld = toldBy(receiver.caught);
  await world.advance(21_000);
  await deliver(2);
  await letTimePass(world);

  expect(whileHeld).toEqual([]);
  const told = toldBy(receiver.caught);
  expect(told[0]).toBe(inOrder[1]);
  expect(told.sort()).toEqual(inOrder);
});

test('jobs that are handed out twice at the same time make one attempt', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger(() => null);
  await world.startTurn({ input: 'Hi', webhook: { url: receiver.url } });
  await workTurnsOnly(world);
  const { id } = await world.db.selectFrom('deliveries').select('id').executeTakeFirstOrThrow();
  const deliver = () => world.handle({ name: 'deliver-webhook', data: { deliveryId: id } });

  const working = [deliver(), deliver(), deliver()];
  (await receiver.arrival(1)).answer({ status: 200 });
  await Promise.all(working);

  expect(receiver.caught).toHaveLength(1);
});

test('a worker killed between the 200 of a receiver and its commit: the event comes again, under the same id', async () => {
  await using world = await createWorld();
  await using receiver = await openStranger(() => null);
  await using worker = await startProcess('worker', world.env);
  await world.startTurn({ input: 'Hi', webhook: { url: receiver.url } });
  const arrived = await receiver.arrival(1);

  await world.db.transaction().execute(async (trx) => {
    await trx.selectFrom('deliveries').select('id').forUpdate().execute();
    arrived.answer({ status: 200 });
    const saving = await commitUnderWay(world);
    await worker.kill('SIGKILL');
    await sql`select pg_terminate_backend(${saving})`.execute(world.db);
  });
  await world.advance(21_000);
  await world.rescue();
  const working = world.workUntilIdle();
  (await receiver.arrival(2)).answer({ status: 200 });
  await working;

  expect(receiver.caught.map(({ headers }) => headers['webhook-id'])).toEqual(
    Array(2).fill(receiver.caught[0]?.headers['webhook-id']),
  );
  expect(await world.db.selectFrom('deliveries').select(['status', 'attempts']).execute()).toEqual([
    { status: 'delivered', attempts: 1 },
  ]);
});

/** The server process that waits for the lock on a delivery, to save what came of it. */
async function commitUnderWay({ db }: World): Promise<number> {
  for (;;) {
    const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity where wait_event_type = 'Lock'
      and datname = current_database() and query like '%delivery_attempts%'`.execute(db);
    if (rows[0]) return rows[0].pid;
    await nextTick();
  }
}
