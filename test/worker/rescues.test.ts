import { sql } from 'kysely';
import { expect } from 'vitest';
import { takeLease } from '#core/checkpoint/turns/lease.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { timing } from '#core/turn/timing.ts';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';

/** Returns for how long the rescuer leaves a turn alone from now on, in milliseconds. */
async function pauseOf({ db }: Harness, turnId: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from due_at - now())::double precision * 1000 as ms from work where id = ${turnId}`.execute(
    db,
  );
  return rows[0]?.ms ?? 0;
}

async function rescueInVain(harness: Harness, times: number): Promise<void> {
  for (let count = 1; count <= times; count += 1) {
    await harness.advance(timing.longestGraceMs + 1);
    await harness.rescue();
  }
}

test('the pauses between rescues grow while no worker takes the turn', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });

  await rescueInVain(harness, 1);
  const first = await pauseOf(harness, id);
  await rescueInVain(harness, 5);
  const sixth = await pauseOf(harness, id);

  expect(first).toBeLessThanOrEqual(timing.graceMs);
  expect(sixth).toBeGreaterThan(timing.longestGraceMs / 2);
});

test('a step that began after many rescues, and was lost, is rescued like any other', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });
  await rescueInVain(harness, 6);

  const turn = await loadTurn(harness.db, id);
  const isBegun = await takeLease(harness.db, turn!, 'a-run-that-dies');
  await harness.advance(timing.leaseMs + 1);
  await harness.rescue();

  expect(isBegun).not.toBeNull();
  expect(await pauseOf(harness, id)).toBeLessThanOrEqual(timing.graceMs);
});

test('rescues that no queue accepted do not lengthen the pause between rescues', async () => {
  await using harness = await createHarness({ env: { REDIS_URL: 'redis://127.0.0.1:1' } });
  const { id } = await harness.startTurn({ input: 'Hi' });

  await rescueInVain(harness, 6);

  expect(await pauseOf(harness, id)).toBeLessThanOrEqual(timing.graceMs);
});

test('a round with a rate-limited model is late after the limit, or at its deadline', async ({ harness }) => {
  const waiting = await harness.startTurn({ input: 'Hi' });
  const bound = await harness.startTurn({ input: 'Hi', limits: { deadline_seconds: 20 } });
  harness.worker.rateLimits.refused('openai/test', 60_000);

  await harness.advance(timing.graceMs + 1);
  const rescuedWhileLimited = await harness.rescue();
  const pauseMs = await pauseOf(harness, waiting.id);
  const boundMs = await pauseOf(harness, bound.id);
  await harness.advance(20_000);
  const rescuedAtDeadline = await harness.rescue();
  await harness.advance(pauseMs);
  harness.worker.rateLimits = makeRateLimits(harness.worker.pubsub);
  const rescuedAfterwards = await harness.rescue();

  expect([rescuedWhileLimited, rescuedAtDeadline, rescuedAfterwards]).toEqual([0, 1, 2]);
  expect(pauseMs).toBeGreaterThan(50_000);
  expect(pauseMs).toBeLessThan(60_000 + 2 * timing.graceMs);
  expect(boundMs).toBeLessThan(20_000);
});
