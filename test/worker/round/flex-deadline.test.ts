import { sql } from 'kysely';
import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { RATE_LIMITED, UNAVAILABLE } from '#test/llm/service-tiers/flex-server.ts';
import { callUntil, openFlex, passTime, rowOf, run, start, test, tierChanges, typesOf } from './flex-turns.ts';

const tier_fallback = 'default';
const retryAfter = (seconds: number) => ({ ...RATE_LIMITED, headers: { 'retry-after': String(seconds) } });

test('a refused round is asked on default when a fifth of its time is left', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);

  const { id } = await run(harness, { tier_fallback, limits: { deadline_seconds: 1_000 } });
  await passTime(harness, 790_000);
  const before = server.tiers();
  await passTime(harness, 20_000);

  expect(before).toEqual(['flex', 'flex']);
  expect(server.tiers()).toEqual(['flex', 'flex', 'default']);
  expect(await tierChanges(harness, id)).toMatchObject([
    { round: 1, from: 'flex', to: 'default', because: 'deadline' },
  ]);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'default' }] });
});

test('a round that waits for flex wakes up when a fifth of its time is left', async ({ harness, server }) => {
  server.refuse('flex', { ...UNAVAILABLE, headers: { 'retry-after': '60' } });

  const { id } = await run(harness, { tier_fallback, limits: { deadline_seconds: 100 } });
  await passTime(harness, 70_000);
  const { delay } = await rowOf(harness, id);

  expect(server.tiers()).toEqual(['flex', 'flex']);
  // 30 s of 100 s are left, and 20 s are for default.
  expect(delay).toBeLessThanOrEqual(10_000);
});

test('a long turn leaves flex at most ten minutes before its deadline', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE, 2);

  const { id } = await run(harness, { tier_fallback, limits: { deadline_seconds: 36_000 } });
  await passTime(harness, 35_000_000);
  const before = server.tiers();
  await passTime(harness, 450_000);

  expect(before).toEqual(['flex', 'flex']);
  expect(server.tiers()).toEqual(['flex', 'flex', 'default']);
  expect(await tierChanges(harness, id)).toMatchObject([{ because: 'deadline' }]);
});

test('a later round that begins just before the deadline is asked on default at once', async () => {
  await using opened = await openFlex({ reply: callUntil(1) });
  const { harness, server } = opened;
  const { id } = await start(harness, {
    ...{ tier_fallback, tools: ['weather_lookup'], limits: { deadline_seconds: 1_000 } },
  });
  await harness.workOnce();

  await passTime(harness, 850_000);

  const turn = await harness.findTurn(id);
  expect(turn.rounds.map(({ service_tier }) => service_tier)).toEqual(['flex', 'default']);
  expect(server.tiers()).toEqual(['flex', 'default']);
  expect(await tierChanges(harness, id)).toMatchObject([{ round: 2, because: 'deadline' }]);
});

test('without tier_fallback a near deadline changes no tier', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE, 2);

  const { id } = await run(harness, { limits: { deadline_seconds: 1_000 } });
  await passTime(harness, 900_000);

  expect(new Set(server.tiers())).toEqual(new Set(['flex']));
  expect(await tierChanges(harness, id)).toEqual([]);
});

test('a rate limit on flex does not delay a change to default near the deadline', async ({ harness, server }) => {
  server.refuse('flex', retryAfter(60));

  const { id } = await run(harness, { tier_fallback, limits: { deadline_seconds: 100 } });
  await passTime(harness, 85_000);

  expect(server.tiers()).toEqual(['flex', 'default']);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'default' }] });
});

test('a round is asked on default after PAWL_FLEX_WAIT_MS, even with fewer refusals', async () => {
  await using opened = await openFlex({ env: { PAWL_FLEX_WAIT_MS: '60000' } });
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE);

  const { id } = await run(harness, { tier_fallback });
  await passTime(harness, 67_000);

  expect(server.tiers()).toEqual(['flex', 'flex', 'default']);
  expect(await tierChanges(harness, id)).toMatchObject([{ round: 1, because: 'waited' }]);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed' });
});

test('a turn that begins shortly before its deadline is asked on default', async ({ harness, server }) => {
  const { id } = await start(harness, { tier_fallback, limits: { deadline_seconds: 1_000 } });

  await passTime(harness, 850_000);

  expect(server.tiers()).toEqual(['default']);
  expect(await typesOf(harness, id)).toEqual([
    ...['turn.queued', 'turn.started', 'tier.changed', 'round.completed', 'turn.completed'],
  ]);
});

test.each([
  ['a rate limit', retryAfter(60)],
  ['another failure', { ...retryAfter(60), status: 503, error: { message: 'Away.', code: 'service_unavailable' } }],
])('a pause after %s on flex ends when the round is to leave its tier', async (_, refusal) => {
  await using opened = await openFlex();
  const { harness, server } = opened;
  server.refuse('flex', refusal);

  const { id } = await run(harness, { tier_fallback, limits: { deadline_seconds: 70 } });
  const { delay } = await rowOf(harness, id);
  await passTime(harness, 62_000);

  // 14 s of 70 s are for default.
  expect(delay).toBeLessThanOrEqual(56_000);
  expect(server.tiers()).toEqual(['flex', 'default']);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'default' }] });
});

test('a request that hangs on flex is asked on default when a fifth of time is left', async () => {
  await using harness = await createHarness();
  const { id } = await harness.startTurn({
    ...{ service_tier: 'flex', tier_fallback, limits: { deadline_seconds: 1_000 } },
    input: scripted({ answer: 'At last.', final: { fault: { kind: 'hang', times: 1 } } }),
  });
  for (const table of ['work', 'turns'])
    await sql`update ${sql.table(table)} set deadline_at = now() + interval '200.5 seconds' where id = ${id}`.execute(
      harness.db,
    );

  await harness.workUntilIdle();

  expect(harness.modelRequests.map(({ body }) => (body as { service_tier?: string }).service_tier)).toEqual([
    'flex',
    'default',
  ]);
  expect(await tierChanges(harness, id)).toMatchObject([{ round: 1, because: 'deadline' }]);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'At last.' });
});
