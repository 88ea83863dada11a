import { expect } from 'vitest';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { RATE_LIMITED, UNAVAILABLE } from '#test/llm/service-tiers/flex-server.ts';
import { MODEL, OTHER, openFlex, passPauses, passTime, rowOf, run, start, test, typesOf } from './flex-turns.ts';

const env = { PAWL_FLEX_WAIT_MS: '600000' };

test('a turn on flex fails as overloaded after it has waited for PAWL_FLEX_WAIT_MS', async () => {
  await using opened = await openFlex({ env });
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE);

  const { id } = await run(harness);
  await passTime(harness);
  const waiting = await harness.findTurn(id);
  await passPauses(harness, 2);

  const turn = await harness.findTurn(id);
  expect(waiting.status).toBe('in_progress');
  expect(turn).toMatchObject({ status: 'failed', error: { code: 'provider_overloaded', retryable: true }, rounds: [] });
  expect(await typesOf(harness, id)).toEqual([
    'turn.queued',
    'turn.started',
    'step.retrying',
    'step.retrying',
    'turn.failed',
  ]);
  expect(new Set(server.tiers())).toEqual(new Set(['flex']));
});

test('a turn waits for flex for six hours by default', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);

  const { id } = await run(harness);
  await passTime(harness, 6 * 3_600_000 - 400_000);
  const before = await harness.findTurn(id);
  await passPauses(harness, 2);

  expect(before.status).toBe('in_progress');
  expect(await harness.findTurn(id)).toMatchObject({ status: 'failed', error: { code: 'provider_overloaded' } });
});

test('the time of a round on flex begins with its first refusal for lack of capacity', async () => {
  await using opened = await openFlex({ env });
  const { harness, server } = opened;
  server.refuse('flex', { ...RATE_LIMITED, headers: { 'retry-after': '1' } }, 1);
  const { id } = await run(harness);
  harness.worker.rateLimits = makeRateLimits(harness.worker.pubsub);
  server.refuse('flex', UNAVAILABLE);

  await passTime(harness, 700_000);
  const first = await harness.findTurn(id);
  await passPauses(harness, 3);

  expect(server.asked.length).toBeGreaterThan(1);
  expect(first.status).toBe('in_progress');
  expect((await harness.findTurn(id)).status).toBe('failed');
});

test('a retry of a turn that has waited too long waits for flex again', async () => {
  await using opened = await openFlex({ env });
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE);
  const { id } = await run(harness);
  await passPauses(harness, 3);
  const failed = await harness.findTurn(id);

  const { status } = await harness.call('POST', `/v1/turns/${id}/retry`);
  await harness.workUntilIdle();
  const again = await harness.findTurn(id);
  const row = await rowOf(harness, id);
  server.refuse('flex', UNAVAILABLE, 0);
  await passTime(harness);

  expect([failed.status, status]).toEqual(['failed', 202]);
  expect(again).toMatchObject({ status: 'in_progress', waiting: { for: 'provider' } });
  expect(row).toMatchObject({ attempts: 0, tier_wait: { refusals: 1, tier: null } });
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'flex' }] });
});

test('a turn is cancelled while it waits for flex, and makes no more requests', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);
  const { id } = await run(harness);

  const { body } = await harness.call('POST', `/v1/turns/${id}/cancel`);
  await passPauses(harness, 2);

  expect(body).toMatchObject({ status: 'cancelled', waiting: null });
  expect(await harness.findTurn(id)).toMatchObject({ status: 'cancelled' });
  expect(server.asked).toHaveLength(1);
});

test('a deadline ends a turn that waits for flex', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);

  const { id } = await run(harness, { limits: { deadline_seconds: 1_000 } });
  await passTime(harness, 900_000);
  const before = await harness.findTurn(id);
  await passTime(harness, 200_000);

  expect(before.status).toBe('in_progress');
  expect(await harness.findTurn(id)).toMatchObject({
    ...{ status: 'incomplete', incomplete_details: { reason: 'deadline' } },
  });
  expect(new Set(server.tiers())).toEqual(new Set(['flex']));
});

test('a turn with a deadline waits for flex longer than PAWL_FLEX_WAIT_MS', async () => {
  await using opened = await openFlex({ env });
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE);

  const { id } = await run(harness, { limits: { deadline_seconds: 86_400 } });
  await passPauses(harness, 5);
  const before = await harness.findTurn(id);
  server.refuse('flex', UNAVAILABLE, 0);
  await passTime(harness);

  expect(before.status).toBe('in_progress');
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'flex' }] });
});

test('a turn with fallback models waits for flex, and then asks the next model on flex', async () => {
  await using opened = await openFlex({ env });
  const { harness, server, other } = opened;
  server.refuse('flex', UNAVAILABLE);

  const { id } = await run(harness, { fallback_models: [OTHER] });
  await passTime(harness);
  const askedBefore = other.asked.length;
  await passPauses(harness, 2);

  expect(askedBefore).toBe(0);
  const turn = await harness.findTurn(id);
  expect(turn).toMatchObject({ status: 'completed', output: 'Other here.', rounds: [{ model: OTHER, attempts: 1 }] });
  expect(other.tiers()).toEqual(['flex']);
  const changed = (await harness.listEvents(id)).filter(({ type }) => type === 'model.changed');
  expect(changed).toMatchObject([{ from: MODEL, to: OTHER, error: { code: 'provider_overloaded' } }]);
  expect(turn.rounds).toMatchObject([{ service_tier: 'flex' }]);
});

test('the next model has its own full PAWL_FLEX_WAIT_MS', async () => {
  await using opened = await openFlex({ env });
  const { harness, server, other } = opened;
  server.refuse('flex', UNAVAILABLE);
  other.refuse('flex', UNAVAILABLE);

  const { id } = await run(harness, { fallback_models: [OTHER] });
  await passPauses(harness, 3);
  const atOther = await harness.findTurn(id);
  const row = await rowOf(harness, id);
  await passPauses(harness, 3);

  expect(atOther).toMatchObject({ status: 'in_progress', waiting: { for: 'provider' } });
  expect(row.tier_wait?.refusals).toBeLessThan(3);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'failed', error: { code: 'provider_overloaded' } });
  expect(other.asked.length).toBeGreaterThan(1);
});

test('a long pause that a provider requests on flex keeps the turn at its model', async ({
  harness,
  server,
  other,
}) => {
  server.refuse('flex', { ...UNAVAILABLE, headers: { 'retry-after': '60' } }, 1);

  const { id } = await run(harness, { fallback_models: [OTHER] });
  await passTime(harness);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ model: MODEL }] });
  expect(other.asked).toEqual([]);
});

test('a turn that lost its worker on flex is asked again on flex', async ({ harness, server }) => {
  const held = server.hold(1);
  const { id } = await start(harness);
  const lost = harness.workOnce();
  await held.reached;
  await harness.advance(7_000);
  await harness.rescue();

  server.refuse('flex', UNAVAILABLE, 2);
  held.open();
  await lost;
  await harness.workUntilIdle();
  await passPauses(harness, 3);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'flex' }] });
});

test('the first refusal is the last if PAWL_FLEX_WAIT_MS is 0', async () => {
  await using opened = await openFlex({ env: { PAWL_FLEX_WAIT_MS: '0' } });
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE);

  const failed = await run(harness);
  const changed = await run(harness, { tier_fallback: 'default' });

  expect(failed).toMatchObject({ status: 'failed', error: { code: 'provider_overloaded' } });
  expect(changed).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'default' }] });
  expect(server.tiers()).toEqual(['flex', 'flex', 'default']);
});

test('an input that joins while a round waits for flex is sent with it', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE, 1);
  const { id } = await run(harness);

  const joined = await harness.call('POST', `/v1/turns/${id}/input`, { body: { input: 'And Porto?' } });
  await harness.workUntilIdle();
  await passTime(harness);

  expect(joined.status).toBe(200);
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', pending_input: [] });
  expect(JSON.stringify(server.asked.at(-1)?.body)).toContain('And Porto?');
});
