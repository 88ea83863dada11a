import { expect } from 'vitest';
import { MAX_RATE_LIMIT_WAIT_MS } from '#core/turn/timing.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { RATE_LIMITED, type TierRefusal, UNAVAILABLE } from '#test/llm/service-tiers/flex-server.ts';
import { callUntil, MODEL, openFlex, passPauses, passTime, rowOf, run, start, test, typesOf } from './flex-turns.ts';

describeQueue(({ redis }) => {
  test('a round on flex without capacity waits, and is asked again on flex', async () => {
    await using opened = await openFlex({ redis });
    const { harness, server } = opened;
    server.refuse('flex', UNAVAILABLE, 2);

    const waiting = await run(harness);
    await passPauses(harness, 2);

    const turn = await harness.findTurn(waiting.id);
    expect(waiting).toMatchObject({ status: 'in_progress', waiting: { for: 'provider', until: expect.any(String) } });
    expect(turn).toMatchObject({ status: 'completed', output: 'Hello.', waiting: null });
    expect(turn.rounds).toMatchObject([{ attempts: 1, service_tier: 'flex', model: MODEL }]);
    expect(server.tiers()).toEqual(['flex', 'flex', 'flex']);
  });
});

test('each refusal for lack of capacity is reported with its pause', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE, 2);

  const { id } = await run(harness);
  await passPauses(harness, 2);

  expect(await typesOf(harness, id)).toEqual([
    ...['turn.queued', 'turn.started', 'step.retrying', 'step.retrying', 'round.completed', 'turn.completed'],
  ]);
  const error = { code: 'provider_rate_limited', retryable: true, provider: { status: 429 } };
  const retrying = (await harness.listEvents(id)).find(({ type }) => type === 'step.retrying');
  expect(retrying).toMatchObject({ round: 1, phase: 'llm_round', error, retry_in_ms: expect.any(Number) });
});

test('refusals for lack of capacity use no attempt', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE, 12);

  const { id } = await run(harness);
  await passPauses(harness, 11);
  const row = await rowOf(harness, id);
  await passTime(harness);

  expect(row).toMatchObject({ attempts: 0, waited_ms: 0, tier_wait: { refusals: 12, tier: null } });
  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ attempts: 1 }] });
  expect(server.asked).toHaveLength(13);
});

test('a wait for flex does not count toward the ten minutes of rate limits', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE, 8);

  const { id } = await run(harness);
  // Each pause is half as long as the limit of all rate limits together.
  for (let pause = 0; pause < 8; pause += 1) await passTime(harness, MAX_RATE_LIMIT_WAIT_MS / 2 + 1_000);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed' });
  expect(await rowOf(harness, id)).toMatchObject({ waited_ms: 0 });
});

test('pauses between requests on flex grow up to five minutes', async ({ harness, server }) => {
  server.refuse('flex', { ...UNAVAILABLE, headers: {} });
  const delays: number[] = [];

  const { id } = await run(harness);
  for (let refusal = 0; refusal < 10; refusal += 1) {
    delays.push((await rowOf(harness, id)).delay!);
    await passTime(harness);
  }

  expect(delays[0]).toBeLessThanOrEqual(10_000);
  expect(Math.max(...delays)).toBeLessThanOrEqual(300_000);
  expect(delays.at(-1)).toBeGreaterThan(10 * delays[0]!);
});

test('a pause on flex is at least as long as the provider requests', async ({ harness, server }) => {
  server.refuse('flex', { ...UNAVAILABLE, headers: { 'retry-after': '45' } });

  const { id } = await run(harness);
  const { delay } = await rowOf(harness, id);
  await passTime(harness, 30_000);

  expect(delay).toBeGreaterThan(30_000);
  expect(server.asked).toHaveLength(1);
});

test('a refusal for lack of capacity blocks no other turn on flex', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE, 1);

  const waiting = await run(harness);
  const next = await run(harness);
  const ordinary = await run(harness, { service_tier: null });

  expect([waiting, next, ordinary].map(({ status }) => status)).toEqual(['in_progress', 'completed', 'completed']);
});

const others: [string, TierRefusal][] = [
  ['resource_unavailable as its code alone', { status: 429, error: { message: 'No.', code: 'resource_unavailable' } }],
  [
    'Resource Unavailable as its words alone',
    { status: 429, error: { message: '429 Resource Unavailable', code: null } },
  ],
];
test.each(others)('a 429 on flex with %s is a lack of capacity', async (_, refusal) => {
  await using opened = await openFlex();
  const { harness, server } = opened;
  server.refuse('flex', refusal, 1);

  const { id } = await run(harness);

  expect(await rowOf(harness, id)).toMatchObject({ attempts: 0, tier_wait: { refusals: 1 } });
  expect(harness.worker.rateLimits.any()).toBe(false);
});

test.each([null, 'auto', 'default', 'priority'])(
  'with the service tier %s, a 429 for lack of resources is an ordinary rate limit',
  async (service_tier) => {
    await using opened = await openFlex();
    const { harness, server } = opened;
    server.refuse(service_tier === 'priority' ? 'priority' : 'default', UNAVAILABLE, 1);

    const { id } = await run(harness, { service_tier });

    expect(harness.worker.rateLimits.any()).toBe(true);
    expect(await rowOf(harness, id)).toMatchObject({ attempts: 0, tier_wait: null });
  },
);

test('other failures on flex use attempts as on any tier', async ({ harness, server }) => {
  server.refuse('flex', { status: 503, error: { message: 'Away.', code: 'service_unavailable' } });

  const { id } = await run(harness);
  await passPauses(harness, 6);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'failed', error: { code: 'provider_unavailable' } });
  expect(server.asked).toHaveLength(5);
});

test('a lack of capacity between failures neither uses nor returns an attempt', async ({ harness, server }) => {
  // The request for a pause keeps the next request out of this pass.
  const away = { ...UNAVAILABLE, status: 503, error: { message: 'Away.', code: 'service_unavailable' } };
  server.refuse('flex', away, 4);
  const { id } = await run(harness);
  await passPauses(harness, 3);
  server.refuse('flex', UNAVAILABLE, 3);
  await passPauses(harness, 3);
  server.refuse('flex', away, 1);

  await passTime(harness);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'failed', error: { code: 'provider_unavailable' } });
  expect(server.asked).toHaveLength(8);
});

test('a job that is delivered twice makes one request and counts one refusal', async ({ harness, server }) => {
  server.refuse('flex', UNAVAILABLE, 1);

  const { id } = await start(harness);
  await harness.workUntilIdle({ deliveries: 3 });

  expect(server.asked).toHaveLength(1);
  expect(await rowOf(harness, id)).toMatchObject({ tier_wait: { refusals: 1 } });
});

test('each round of a turn with tools is asked on flex, with its own wait', async () => {
  await using opened = await openFlex({ reply: callUntil(1) });
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE, 2);
  const { id } = await run(harness, { tools: ['weather_lookup'] });
  await passTime(harness);

  await harness.advance(301_000);
  await harness.rescue();
  await harness.workOnce();
  const between = await rowOf(harness, id);
  server.refuse('flex', UNAVAILABLE, 1);
  await harness.workUntilIdle();
  const second = await rowOf(harness, id);
  await passTime(harness);

  const turn = await harness.findTurn(id);
  expect([between.tier_wait, second.tier_wait?.refusals]).toEqual([null, 1]);
  expect(turn).toMatchObject({ status: 'completed', output: 'Sunny.' });
  const served = { service_tier: 'flex', attempts: 1 };
  expect(turn.rounds).toMatchObject([served, served]);
});

test('a round on flex waits over Responses, too', async () => {
  await using opened = await openFlex({ env: { OPENAI_WIRE: 'responses' } });
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE, 1);

  const { id } = await run(harness);
  await passTime(harness);

  expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'flex' }] });
  expect(server.tiers()).toEqual(['flex', 'flex']);
});

test('each request of an emulated round is sent on flex, and the round reports flex', async () => {
  const decision = '{"tools":[]}';
  await using opened = await openFlex({ reply: () => ({ text: [decision] }) });
  const { harness, server } = opened;

  const turn = await run(harness, { tools: ['weather_lookup'], tool_mode: 'emulated' });

  expect(turn).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'flex' }], usage: { llm_calls: 3 } });
  expect(server.tiers()).toEqual(['flex', 'flex', 'flex']);
});

test('a turn without a service tier sends none, and reports the tier of its provider', async ({ harness, server }) => {
  const turn = await run(harness, { service_tier: null });

  expect(server.tiers()).toEqual([null]);
  expect(turn.rounds).toMatchObject([{ service_tier: 'default' }]);
});

test('a rate limit on flex does not change the count of refusals for lack of capacity', async ({ harness, server }) => {
  server.refuse('flex', { ...RATE_LIMITED, headers: { 'retry-after': '1' } }, 1);

  const { id } = await run(harness);

  expect(await rowOf(harness, id)).toMatchObject({ attempts: 0, tier_wait: null });
  expect(harness.worker.rateLimits.any()).toBe(true);
});
