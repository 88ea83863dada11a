import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { loadTurn } from '#core/checkpoint/load-turn.ts';
import { takeHold } from '#core/checkpoint/take-hold.ts';
import { timing } from '#core/turn/timing.ts';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { createWorld, type World } from '#test/world/create-world.ts';

/** How long the rescuer leaves a turn alone from now on, milliseconds. */
async function pauseOf({ db }: World, turnId: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from due_at - now())::double precision * 1000 as ms from turns where id = ${turnId}`.execute(
    db,
  );
  return rows[0]?.ms ?? 0;
}

async function rescueInVain(world: World, times: number): Promise<void> {
  for (let count = 1; count <= times; count += 1) {
    await world.advance(timing.longestGraceMs + 1);
    await world.rescue();
  }
}

test('the pauses between rescues grow while nobody comes', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: 'Hi' });

  await rescueInVain(world, 1);
  const first = await pauseOf(world, id);
  await rescueInVain(world, 5);
  const sixth = await pauseOf(world, id);

  expect(first).toBeLessThanOrEqual(timing.graceMs);
  expect(sixth).toBeGreaterThan(timing.longestGraceMs / 2);
});

test('a step that was begun after many rescues, and lost, is rescued as soon as any other', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: 'Hi' });
  await rescueInVain(world, 6);

  const turn = await loadTurn(world.db, id);
  const isBegun = await takeHold(world.db, turn!, 'a-run-that-dies');
  await world.advance(timing.leaseMs + 1);
  await world.rescue();

  expect(isBegun).toBe(true);
  expect(await pauseOf(world, id)).toBeLessThanOrEqual(timing.graceMs);
});

test('rescues that no queue took count for nothing: once it is back, nobody waits longer than after a single one', async () => {
  await using world = await createWorld({ env: { REDIS_URL: 'redis://127.0.0.1:1' } });
  const { id } = await world.startTurn({ input: 'Hi' });

  await rescueInVain(world, 6);

  expect(await pauseOf(world, id)).toBeLessThanOrEqual(timing.graceMs);
});

test('a round whose model is rate-limited is not late before that is over, but for its deadline', async () => {
  await using world = await createWorld();
  const waiting = await world.startTurn({ input: 'Hi' });
  const bound = await world.startTurn({ input: 'Hi', limits: { deadline_seconds: 20 } });
  world.worker.limits.refused('openai/test', 60_000);

  await world.advance(timing.graceMs + 1);
  const rungWhileLimited = await world.rescue();
  const pauseMs = await pauseOf(world, waiting.id);
  const boundMs = await pauseOf(world, bound.id);
  await world.advance(20_000);
  const rungAtDeadline = await world.rescue();
  await world.advance(pauseMs);
  world.worker.limits = makeRateLimits(world.worker.live);
  const rungAfterwards = await world.rescue();

  expect([rungWhileLimited, rungAtDeadline, rungAfterwards]).toEqual([0, 1, 2]);
  expect(pauseMs).toBeGreaterThan(50_000);
  expect(pauseMs).toBeLessThan(60_000 + 2 * timing.graceMs);
  expect(boundMs).toBeLessThan(20_000);
});
