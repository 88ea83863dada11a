import { sql } from 'kysely';
import { expect } from 'vitest';
import { limitName } from '#core/turn/tiers/change-tier.ts';
import { MAX_RATE_LIMIT_WAIT_MS } from '#core/turn/timing.ts';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { RATE_LIMITED } from '#test/llm/service-tiers/flex-server.ts';
import { MODEL, OTHER, openFlex, run, start, test } from './flex-turns.ts';

const limited = { ...RATE_LIMITED, headers: { 'retry-after': '60' } };
const FLEX = limitName(MODEL, 'flex');

describeQueue(({ redis }) => {
  test('a rate limit on flex blocks flex only', async () => {
    await using opened = await openFlex({ redis });
    const { harness, server } = opened;
    server.refuse('flex', limited, 1);

    const waiting = await run(harness);
    const next = await run(harness);
    const others = [];
    for (const service_tier of [null, 'auto', 'default', 'priority']) others.push(await run(harness, { service_tier }));

    expect(waiting).toMatchObject({ status: 'in_progress', waiting: { for: 'provider', until: expect.any(String) } });
    expect(next).toMatchObject({ status: 'queued', waiting: { for: 'provider' } });
    expect(others.map(({ status }) => status)).toEqual(Array(4).fill('completed'));
    expect(server.tiers()).toEqual(['flex', null, 'auto', 'default', 'priority']);
  });
});

test('a rate limit on the ordinary tier blocks neither flex nor priority', async ({ harness, server }) => {
  server.refuse('default', limited, 1);

  const waiting = await run(harness, { service_tier: 'default' });
  const others = [await run(harness), await run(harness, { service_tier: 'priority' })];

  expect(waiting.status).toBe('in_progress');
  expect(others.map(({ status }) => status)).toEqual(['completed', 'completed']);
});

test('turns without a tier, on auto and on default share a rate limit', async ({ harness, server }) => {
  server.refuse('default', limited, 1);

  const first = await run(harness, { service_tier: 'auto' });
  const others = [await run(harness, { service_tier: null }), await run(harness, { service_tier: 'default' })];

  expect(first.status).toBe('in_progress');
  expect(others.map(({ status, waiting }) => [status, waiting?.for])).toEqual(Array(2).fill(['queued', 'provider']));
  expect(server.asked).toHaveLength(1);
});

test('turns on flex do not begin and use no attempt while flex is rate-limited', async ({ harness, server }) => {
  harness.worker.rateLimits.refused(FLEX, 20_000);

  const turns = await Promise.all(Array.from({ length: 3 }, () => start(harness)));
  await harness.workUntilIdle();

  expect(server.asked).toEqual([]);
  for (const { id } of turns) expect(await harness.findTurn(id)).toMatchObject({ status: 'queued' });
  const kept = await harness.db.selectFrom('turn_states').select(['starts', 'attempts', 'tier_wait']).execute();
  expect(kept).toEqual(turns.map(() => ({ starts: 0, attempts: 0, tier_wait: null })));
});

test('a turn on flex fails after ten minutes of a rate limit that does not end', async ({ harness }) => {
  const clock = stopClock(harness);
  const { id } = await start(harness);
  harness.worker.rateLimits.refused(FLEX, 1_000);
  clock.now += 1_000;
  harness.worker.rateLimits.refused(FLEX, 60_000);
  await sql`update work set waited_ms = ${MAX_RATE_LIMIT_WAIT_MS - 1_000}`.execute(harness.db);

  await harness.workUntilIdle();

  expect(await harness.findTurn(id)).toMatchObject({ status: 'failed', error: { code: 'provider_rate_limited' } });
});

test('the rescuer postpones turns on flex, and no others, while flex is rate-limited', async ({ harness, server }) => {
  const [onFlex, ordinary] = [await start(harness), await start(harness, { service_tier: null })];
  await harness.workOnce(async () => {});
  await harness.workOnce(async () => {});
  harness.worker.rateLimits.refused(FLEX, 60_000);

  await harness.advance(10_000);
  const rescued = await harness.rescue();
  await harness.workUntilIdle();

  expect(rescued).toBe(1);
  expect(server.tiers()).toEqual([null]);
  expect(await harness.findTurn(onFlex.id)).toMatchObject({ status: 'queued', waiting: { for: 'provider' } });
  expect(await harness.findTurn(ordinary.id)).toMatchObject({ status: 'completed' });
});

test('a reply on flex frees flex for the turns that wait', async ({ harness }) => {
  const clock = stopClock(harness);
  harness.worker.rateLimits.refused(FLEX, 1_000);
  clock.now += 1_000;

  const turn = await run(harness);

  expect(turn.status).toBe('completed');
  expect(harness.worker.rateLimits.any()).toBe(false);
});

test('other workers receive that flex is rate-limited', async ({ harness }) => {
  await using _worker = await startBackgroundWorker(harness);
  const other = makeRateLimits(harness.worker.pubsub);

  await waitUntil(() => {
    other.refused(FLEX, 60_000);
    expect(harness.worker.rateLimits.allows(FLEX)).toBe(false);
  });

  expect(harness.worker.rateLimits.allows(MODEL)).toBe(true);
});

test('a turn asks the next model on flex after a long rate limit on flex', async ({ harness, server, other }) => {
  server.refuse('flex', limited);

  const turn = await run(harness, { fallback_models: [OTHER] });

  expect(turn).toMatchObject({ status: 'completed', rounds: [{ model: OTHER, service_tier: 'flex' }] });
  expect(other.tiers()).toEqual(['flex']);
});

/** Moves the worker's rate limits to a clock that only the test moves. */
function stopClock({ worker }: Harness): { now: number } {
  const clock = { now: 0 };
  worker.rateLimits = makeRateLimits(worker.pubsub, () => clock.now);
  return clock;
}
