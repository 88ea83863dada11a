import { expect } from 'vitest';
import { makeRateLimits } from '#services/worker/rate-limits.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { RATE_LIMITED, UNAVAILABLE } from '#test/llm/service-tiers/flex-server.ts';
import { callUntil, openFlex, passPauses, passTime, rowOf, run, test, tierChanges, typesOf } from './flex-turns.ts';

const tier_fallback = 'default';
const retryAfter = (seconds: number) => ({ ...RATE_LIMITED, headers: { 'retry-after': String(seconds) } });

describeQueue(({ redis }) => {
  test('a round with tier_fallback is asked on default after three refusals on flex', async () => {
    await using opened = await openFlex({ redis });
    const { harness, server } = opened;
    server.refuse('flex', UNAVAILABLE);

    const { id } = await run(harness, { tier_fallback });
    await passTime(harness);
    const waiting = await harness.findTurn(id);
    await passTime(harness);

    const turn = await harness.findTurn(id);
    expect(waiting.status).toBe('in_progress');
    expect(turn).toMatchObject({ status: 'completed', rounds: [{ attempts: 1, service_tier: 'default' }] });
    expect(server.tiers()).toEqual(['flex', 'flex', 'flex', 'default']);
    expect(await tierChanges(harness, id)).toMatchObject([
      { round: 1, from: 'flex', to: 'default', because: 'refused', turn_id: id },
    ]);
    expect(await typesOf(harness, id)).toEqual([
      ...['turn.queued', 'turn.started', 'step.retrying', 'step.retrying', 'tier.changed'],
      ...['round.completed', 'turn.completed'],
    ]);
  });
});

test('a round that flex serves after two refusals changes no tier', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE, 2);

  const { id } = await run(harness, { tier_fallback });
  await passPauses(harness, 2);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'flex' }] });
  expect(await tierChanges(harness, id)).toEqual([]);
});

test('the round after a change of tier is asked on flex again, with its own refusals', async () => {
  await using opened = await openFlex({ reply: callUntil(2) });
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE, 5);

  const { id } = await run(harness, { tier_fallback, tools: ['weather_lookup'] });
  await passPauses(harness, 5);

  const turn = await harness.findTurn(id);
  expect(turn).toMatchObject({ status: 'completed', output: 'Sunny.' });
  expect(turn.rounds.map(({ service_tier }) => service_tier)).toEqual(['default', 'flex', 'flex']);
  expect(server.tiers()).toEqual(['flex', 'flex', 'flex', 'default', 'flex', 'flex', 'flex', 'flex']);
  expect(await tierChanges(harness, id)).toMatchObject([{ round: 1, because: 'refused' }]);
});

test('each round of a turn may change its tier', async () => {
  await using opened = await openFlex({ reply: callUntil(1) });
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE);

  const { id } = await run(harness, { tier_fallback, tools: ['weather_lookup'] });
  await passPauses(harness, 5);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: 'Sunny.' });
  expect(await tierChanges(harness, id)).toMatchObject([
    { round: 1, because: 'refused' },
    { round: 2, because: 'refused' },
  ]);
});

test('ordinary rate limits on flex never change the tier of a round', async ({ harness, server }) => {
  server.refuse('flex', retryAfter(1), 4);

  const { id } = await run(harness, { tier_fallback });
  for (let limit = 0; limit < 4; limit += 1) {
    harness.worker.rateLimits = makeRateLimits(harness.worker.pubsub);
    await passTime(harness);
  }

  expect(await tierChanges(harness, id)).toEqual([]);
  expect(new Set(server.tiers())).toEqual(new Set(['flex']));
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'flex' }] });
});

test('a failure on default after a change is retried on default, with all attempts', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);
  server.refuse('default', { status: 503, error: { message: 'Away.', code: 'service_unavailable' } }, 4);

  const { id } = await run(harness, { tier_fallback });
  await passPauses(harness, 7);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ attempts: 5 }] });
  expect(server.tiers().slice(3)).toEqual(Array(5).fill('default'));
  expect(await tierChanges(harness, id)).toHaveLength(1);
});

test('a rate limit on default after a change is a rate limit of the ordinary tier', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);
  server.refuse('default', retryAfter(30), 1);

  const { id } = await run(harness, { tier_fallback });
  await passPauses(harness, 2);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'in_progress', waiting: { for: 'provider' } });
  expect(harness.worker.rateLimits.allows('openai/test')).toBe(false);
});

test('a 429 for lack of resources on default after a change is an ordinary rate limit', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);
  server.refuse('default', UNAVAILABLE, 1);

  const { id } = await run(harness, { tier_fallback });
  await passPauses(harness, 2);

  expect(harness.worker.rateLimits.allows('openai/test')).toBe(false);
  expect(await rowOf(harness, id)).toMatchObject({ tier_wait: { refusals: 3, tier: 'default' } });
});

test('a retry of a turn that failed on default is asked on flex first', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE);
  server.refuse('default', { status: 401, error: { message: 'Wrong key.', code: 'invalid_api_key' } }, 1);
  const { id } = await run(harness, { tier_fallback });
  await passPauses(harness, 2);
  const failed = await harness.findTurn(id);
  server.refuse('flex', UNAVAILABLE, 0);

  await harness.call('POST', `/v1/turns/${id}/retry`);
  await harness.workUntilIdle();

  expect(failed).toMatchObject({ status: 'failed', error: { code: 'provider_authentication_failed' } });
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'flex' }] });
});
