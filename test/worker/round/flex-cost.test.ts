import { expect } from 'vitest';
import { UNAVAILABLE } from '#test/llm/service-tiers/flex-server.ts';
import { COSTS, callUntil, MODEL, openFlex, passPauses, run, test } from './flex-turns.ts';

const base = { input: 2, output: 8 };
const costsOf = (turn: { rounds: { usage: { cost_usd: number | null } | null }[] }) =>
  turn.rounds.map(({ usage }) => usage?.cost_usd);

test.for([
  { asked: 'flex', reported: null, service_tier: 'flex' as const },
  { asked: 'flex', reported: 'default', service_tier: 'default' as const },
  { asked: null, reported: 'flex', service_tier: 'flex' as const },
])(
  'a round on $asked that is reported as $reported costs the price of $service_tier',
  async (served, { harness, server }) => {
    const { asked, reported, service_tier } = served;
    if (reported) server.report(reported);

    const turn = await run(harness, { service_tier: asked });

    expect(server.tiers()).toEqual([asked]);
    expect(turn.rounds).toMatchObject([{ service_tier, usage: { cost_usd: COSTS[service_tier] } }]);
    expect(turn.usage.cost_usd).toBe(COSTS[service_tier]);
  },
);

test('a tier without a price has no known cost, and keeps its reported name', async ({ harness, server }) => {
  server.report('priority');
  const unpriced = await run(harness, { service_tier: 'priority' });
  server.report('Ultra-Fast 2');

  const unknown = await run(harness);

  expect(unpriced).toMatchObject({ usage: { cost_usd: null }, rounds: [{ service_tier: 'priority' }] });
  expect(unknown.rounds).toMatchObject([{ service_tier: 'Ultra-Fast 2', usage: { cost_usd: COSTS.default } }]);
});

test('the rounds of a turn that changes its tier cost the price of the reported tier', async () => {
  await using opened = await openFlex({ reply: callUntil(1) });
  const { harness, server } = opened;
  server.refuse('flex', UNAVAILABLE, 3);

  const { id } = await run(harness, { tier_fallback: 'default', tools: ['weather_lookup'] });
  await passPauses(harness, 2);

  const turn = await harness.findTurn(id);
  expect(costsOf(turn)).toEqual([COSTS.default, COSTS.flex]);
  expect(turn.usage.cost_usd).toBeCloseTo(COSTS.default + COSTS.flex, 12);
});

test('a cost limit counts the tier that the provider reports', async () => {
  await using opened = await openFlex({ reply: callUntil(3) });
  const { harness, server } = opened;
  const own = { tools: ['weather_lookup'], limits: { max_cost_usd: 2 * COSTS.flex + 0.0001 } };

  const onFlex = await run(harness, own);
  server.report('default');
  const onDefault = await run(harness, own);

  expect(onFlex).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_cost_usd' } });
  expect([onFlex, onDefault].map(({ rounds }) => rounds.length)).toEqual([4, 3]);
});

test('a round with an unpriced tier does not count toward a cost limit, with a warning', async ({
  harness,
  server,
}) => {
  server.report('priority');

  const turn = await run(harness, { limits: { max_cost_usd: 1 } });

  expect(turn).toMatchObject({ status: 'completed', usage: { cost_usd: null } });
  expect(turn.warnings).toEqual(['The cost of a round is unknown, so max_cost_usd does not count it']);
});

test('a fast tier has the price of priority', async () => {
  const prices = { [MODEL]: { ...base, tiers: { priority: { input: 4, output: 16 } } } };
  await using opened = await openFlex({ env: { PAWL_PRICES: JSON.stringify(prices) } });
  const { harness, server } = opened;
  server.report('fast');

  const turn = await run(harness, { service_tier: 'priority' });

  expect(turn.rounds).toMatchObject([{ service_tier: 'fast', usage: { cost_usd: 0.0056 } }]);
});

test('a list of turns and a ledger show the cost of the reported tier', async ({ harness }) => {
  const { id } = await run(harness);

  const { body: list } = await harness.call<{ data: { id: string; usage: object }[] }>('GET', '/v1/turns');
  const { body: usage } = await harness.call<{ data: { cost_usd: number | null }[] }>('GET', '/v1/usage');
  expect(list.data).toMatchObject([{ id, usage: { cost_usd: COSTS.flex } }]);
  expect(JSON.stringify(usage)).toContain(String(COSTS.flex));
});
