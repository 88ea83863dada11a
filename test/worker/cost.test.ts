import { expect } from 'vitest';
import { readPrices } from '#core/llm/by-model/prices.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { testWith } from '#test/harness/test.ts';

const look = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };
const usage = { prompt_tokens: 1_000, completion_tokens: 100 };
const prices = (list: object = { 'openai/test': { input: 2, output: 8 } }) => ({ PAWL_PRICES: JSON.stringify(list) });
const twoRounds = {
  input: scripted({ rounds: [{ tools: [look], usage }], answer: 'Sunny.', final: { usage } }),
  tools: ['weather_lookup'],
};

async function run(harness: Harness, request: object): Promise<TurnResource> {
  return harness.runTurn({ ...request });
}

const test = testWith({ env: prices() });

test('rounds and turns report their cost', async ({ harness }) => {
  const turn = await run(harness, twoRounds);

  expect(turn.rounds.map((round) => round.usage?.cost_usd)).toEqual([0.0028, 0.0028]);
  expect(turn.usage).toMatchObject({ total_tokens: 2_200, cost_usd: 0.0056 });
  const { body } = await harness.call<{ data: TurnResource[] }>('GET', '/v1/turns');
  expect(body.data[0]?.usage.cost_usd).toBe(0.0056);
});

test('the cost of a round does not change when the prices change', async ({ harness }) => {
  const { id } = await run(harness, twoRounds);

  harness.worker.prices = readPrices('{"openai/test":{"input":4,"output":16}}');
  const later = await run(harness, twoRounds);

  expect([later.usage.cost_usd, (await harness.findTurn(id)).usage.cost_usd]).toEqual([0.0112, 0.0056]);
});

test('a turn without prices, or with an uncounted round, has an unknown cost', async () => {
  await using unpriced = await createHarness();
  await using priced = await createHarness({ env: prices() });
  const uncounted = { ...twoRounds, input: scripted({ rounds: [{ tools: [look], usage: null }], final: { usage } }) };

  const without = await run(unpriced, twoRounds);
  const half = await run(priced, uncounted);

  expect(without.rounds.map((round) => round.usage)).toMatchObject([{ cost_usd: null }, { cost_usd: null }]);
  expect(without.usage.cost_usd).toBeNull();
  expect(half.rounds.map((round) => round.usage?.cost_usd)).toEqual([undefined, 0.0028]);
  expect(half.usage.cost_usd).toBeNull();
  expect(half.warnings).toEqual([]);
});

test('a turn that reaches its cost limit sums up without calls and is incomplete', async ({ harness }) => {
  const within = await run(harness, { ...twoRounds, limits: { max_cost_usd: 0.003 } });
  const over = await run(harness, { ...twoRounds, limits: { max_cost_usd: 0.0028 } });

  expect(within).toMatchObject({ status: 'completed' });
  expect(over).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_cost_usd' } });
  expect(over.rounds).toHaveLength(2);
  expect(harness.modelRequests.at(-1)?.body.tool_choice).toBe('none');
});

test('a round of unknown cost does not count toward the cost limit, with a warning', async ({ harness }) => {
  const input = scripted({ rounds: [{ tools: [look], usage: null }], final: { usage } });

  const turn = await run(harness, { ...twoRounds, input, limits: { max_cost_usd: 0.000001 } });

  expect(turn).toMatchObject({ status: 'completed', usage: { cost_usd: null } });
  expect(turn.warnings).toEqual(['The cost of a round is unknown, so max_cost_usd does not count it']);
});

test('a cost limit is refused with its field if a model of the turn has no price', async ({ harness }) => {
  const limits = { max_cost_usd: 1 };
  const post = (path: string, body: object) => harness.call('POST', path, { body });
  const unpriced = { model: 'openai/other', input: 'Hi', limits };
  const refused = (param: string) => ({ status: 400, body: { error: { code: 'unsupported_parameter', param } } });

  const own = await post('/v1/turns', unpriced);
  const fallback = { ...unpriced, model: 'openai/test', fallback_models: ['openai/test', 'sim/demo'] };
  const { input: _, ...standing } = unpriced;

  expect(own).toMatchObject(refused('limits.max_cost_usd'));
  expect(own.body).toHaveProperty('error.message', expect.stringContaining('openai/other has no price'));
  expect(await post('/v1/turns', fallback)).toMatchObject(refused('fallback_models[1]'));
  expect(await post('/v1/conversations', standing)).toMatchObject(refused('limits.max_cost_usd'));
  expect(await post('/v1/responses', { model: 'openai/other', input: 'Hi', pawl: { limits } })).toMatchObject(
    refused('pawl.limits.max_cost_usd'),
  );
  expect(await post('/v1/conversations', { limits })).toMatchObject({ status: 201 });
  expect(await post('/v1/turns', { ...unpriced, limits: { max_cost_usd: 0 } })).toMatchObject({
    ...{ status: 400, body: { error: { param: 'limits.max_cost_usd' } } },
  });
});

test('a response reports its usage as OpenAI does, without its cost', async ({ harness }) => {
  const { body } = await harness.call('POST', '/v1/responses', {
    body: { model: 'openai/test', input: scripted({ final: { usage } }), background: true },
  });
  await harness.workUntilIdle();

  const response = await harness.call('GET', `/v1/responses/${body.id}`);

  expect(JSON.stringify(response.body)).not.toContain('cost_usd');
  expect(response.body).toMatchObject({ usage: { total_tokens: 1_100 } });
});
