import { expect, test } from 'vitest';
import { createWorld, type World } from '#test/world/create-world.ts';
import { scripted } from '#test/world/scripted.ts';

/** Starts a turn whose model never answers, and a run that waits for it. */
async function startHanging(world: World) {
  const { id } = await world.startTurn({ input: scripted({ rounds: [], final: { fault: { kind: 'hang' } } }) });
  const working = world.workOnce();
  await expect.poll(() => world.asked).toHaveLength(1);
  return { id, working };
}

const stored = (world: World) =>
  world.db
    .selectFrom('turns')
    .select(['held_by', 'status', 'step', 'ring', 'starts', 'attempts'])
    .executeTakeFirstOrThrow();

test('a step that lasts is vouched for until it ends', async () => {
  await using world = await createWorld();
  const { working } = await startHanging(world);
  expect(world.worker.heartbeat.count()).toBe(1);

  await world.advance(4_000);
  await world.beat();
  await world.advance(4_000);

  expect(await world.rescue()).toBe(0);
  world.worker.heartbeat.stop('shutdown');
  await working;
  expect(world.worker.heartbeat.count()).toBe(0);
});

test('a run whose hold lapsed and was taken by another stops, and writes nothing', async () => {
  await using world = await createWorld();
  const { id, working } = await startHanging(world);

  await world.advance(7_000);
  await world.db
    .updateTable('turns')
    .set({ held_by: 'another', held_until: new Date(Date.now() + 60_000) })
    .execute();
  await world.beat();
  await working;

  expect(await stored(world)).toMatchObject({ held_by: 'another', ring: 0, attempts: 0 });
  expect((await world.listEvents(id)).map((event) => event.type)).toEqual(['turn.queued', 'turn.started']);
});

test('a run that is told to stop hands its step back, and no attempt is used up', async () => {
  await using world = await createWorld();
  const { working } = await startHanging(world);

  world.worker.heartbeat.stop('shutdown');
  await working;

  expect(await stored(world)).toMatchObject({
    held_by: null,
    status: 'in_progress',
    step: 'r1',
    ring: 1,
    starts: 0,
    attempts: 0,
  });
});

test('a turn that ends under a run stops it', async () => {
  await using world = await createWorld();
  const { id, working } = await startHanging(world);

  await world.call('POST', `/v1/turns/${id}/cancel`);
  await world.advance(0);
  await world.beat();
  await working;

  expect(await world.findTurn(id)).toMatchObject({ status: 'cancelled', rounds: [] });
  await world.asked[0]?.aborted;
});
