import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { refusalOf } from '../../refusals.ts';

const at = (kind: string) => ({ kind, base_url: 'http://127.0.0.1:1' });
const mistral = { kind: 'ai-sdk', module: '@ai-sdk/mistral', export: 'createMistral', options: { apiKey: 'none' } };
const PAWL_PROVIDERS = JSON.stringify({
  ...{ chat: at('openai'), responses: at('openai-responses'), claude: at('anthropic'), gem: at('gemini') },
  pack: mistral,
});
const base = { input: 2, output: 8 };
const PAWL_PRICES = JSON.stringify({
  ...{ 'chat/x': { ...base, tiers: { flex: { input: 1, output: 4 } } }, 'responses/x': base },
});

// No worker runs here, so one harness serves all tests.
let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ env: { PAWL_PROVIDERS, PAWL_PRICES } });
});
afterAll(() => harness[Symbol.asyncDispose]());

type Config = { service_tier: string | null; tier_fallback: string | null };
const post = <Body = Record<string, unknown>>(path: string, body: object) => harness.call<Body>('POST', path, { body });
const turnOf = (own: object) => ({ model: 'chat/x', input: 'Hi', ...own });
const configOf = async (id: unknown) =>
  (await harness.call<{ config: Config }>('GET', `/v1/turns/${id}?include=config`)).body.config;
const storedOf = async (id: unknown) => {
  const { config } = await harness.db
    .selectFrom('turns')
    .select('config')
    .where('id', '=', String(id))
    .executeTakeFirstOrThrow();
  return config as object;
};

test.each([
  ['chat/x', ['auto', 'default', 'flex', 'priority', 'batch']],
  ['responses/x', ['auto', 'default', 'flex', 'priority', 'batch']],
  ['sim/demo', ['auto', 'default', 'flex', 'priority', 'batch']],
  ['openai/test', ['auto', 'default', 'flex', 'priority', 'batch']],
  ['claude/x', ['auto', 'default', 'batch']],
  ['gem/x', ['auto', 'default', 'flex', 'priority', 'batch']],
])('a turn of %s may have each service tier of its provider', async (model, tiers) => {
  for (const service_tier of tiers) {
    expect(await refusalOf(harness, '/v1/turns', turnOf({ model, service_tier }))).toBe('202 accepted');
    expect(await refusalOf(harness, '/v1/conversations', { model, service_tier })).toBe('201 accepted');
  }
});

test.each([
  ['claude/x', 'flex'],
  ['claude/x', 'priority'],
  ['pack/x', 'auto'],
  ['pack/x', 'flex'],
  ['pack/x', 'batch'],
] as const)('a turn of %s with the service tier %s is refused', async (model, service_tier) => {
  const turn = await post('/v1/turns', turnOf({ model, service_tier }));
  const standing = await post('/v1/conversations', { model, service_tier });

  for (const { status, body } of [turn, standing]) {
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { code: 'unsupported_parameter', param: 'service_tier' } });
    const { message } = body.error as { message: string };
    expect(message).toContain(model.split('/')[0]);
    expect(message).toContain(service_tier);
  }
});

test('a fallback model without the service tier is refused with its index', async () => {
  const own = { fallback_models: ['responses/x', 'claude/x'], service_tier: 'flex' };
  const refusal = '400 unsupported_parameter: fallback_models[1]';

  expect(await refusalOf(harness, '/v1/turns', turnOf(own))).toBe(refusal);
  expect(await refusalOf(harness, '/v1/conversations', { model: 'chat/x', ...own })).toBe(refusal);
  expect(await refusalOf(harness, '/v1/turns', turnOf({ ...own, service_tier: 'default' }))).toBe('202 accepted');
});

test.each([
  [{ service_tier: 'cheap' }, 'invalid_value: service_tier'],
  [{ service_tier: 'standard' }, 'invalid_value: service_tier'],
  [{ service_tier: '' }, 'invalid_value: service_tier'],
  [{ service_tier: 5 }, 'invalid_value: service_tier'],
  [{ service_tier: ['flex'] }, 'invalid_value: service_tier'],
  [{ service_tier: 'flex', tier_fallback: 'priority' }, 'invalid_value: tier_fallback'],
  [{ service_tier: 'flex', tier_fallback: true }, 'invalid_value: tier_fallback'],
  [{ tier_fallback: 'default' }, 'unsupported_parameter: tier_fallback'],
  [{ service_tier: 'default', tier_fallback: 'default' }, 'unsupported_parameter: tier_fallback'],
  [{ service_tier: 'priority', tier_fallback: 'default' }, 'unsupported_parameter: tier_fallback'],
  [{ service_tier: null, tier_fallback: 'default' }, 'unsupported_parameter: tier_fallback'],
])('%j is refused with its field', async (given, refusal) => {
  expect(await refusalOf(harness, '/v1/turns', turnOf(given))).toBe(`400 ${refusal}`);
});

test('a turn inherits the service tier and the tier fallback of its conversation', async () => {
  const standing = { model: 'chat/x', service_tier: 'flex', tier_fallback: 'default' };
  const { body: conversation } = await post('/v1/conversations', standing);
  const start = (own: object) => post(`/v1/conversations/${conversation.id}/turns`, { input: 'Hi', ...own });

  const inherited = await start({});
  const other = await start({ service_tier: 'priority' });
  const without = await start({ service_tier: null });
  const waiting = await start({ tier_fallback: null });
  const { body: shown } = await harness.call('GET', `/v1/conversations/${conversation.id}`);

  expect([conversation, shown]).toMatchObject([standing, standing]);
  expect(await configOf(inherited.body.id)).toMatchObject({ service_tier: 'flex', tier_fallback: 'default' });
  expect(await configOf(other.body.id)).toMatchObject({ service_tier: 'priority', tier_fallback: null });
  expect(await configOf(without.body.id)).toMatchObject({ service_tier: null, tier_fallback: null });
  expect(await configOf(waiting.body.id)).toMatchObject({ service_tier: 'flex', tier_fallback: null });
});

test('a turn may add a tier fallback to the inherited tier flex, but not to priority', async () => {
  const { body: flex } = await post('/v1/conversations', { model: 'chat/x', service_tier: 'flex' });
  const { body: priority } = await post('/v1/conversations', { model: 'chat/x', service_tier: 'priority' });
  const own = { input: 'Hi', tier_fallback: 'default' };
  const refusal = '400 unsupported_parameter: tier_fallback';

  expect(await refusalOf(harness, `/v1/conversations/${flex.id}/turns`, own)).toBe('202 accepted');
  expect(await refusalOf(harness, `/v1/conversations/${priority.id}/turns`, own)).toBe(refusal);
});

test('a turn is refused if its model lacks the inherited service tier', async () => {
  const { body } = await post('/v1/conversations', { model: 'chat/x', service_tier: 'flex' });
  const path = `/v1/conversations/${body.id}/turns`;
  const own = { model: 'claude/x', input: 'Hi' };

  expect(await refusalOf(harness, path, own)).toBe('400 unsupported_parameter: service_tier');
  expect(await refusalOf(harness, path, { ...own, service_tier: null })).toBe('202 accepted');
});

test('a conversation without a model may have a service tier, which each turn checks', async () => {
  const { status, body } = await post('/v1/conversations', { service_tier: 'flex', tier_fallback: 'default' });
  const path = `/v1/conversations/${body.id}/turns`;

  expect(status).toBe(201);
  expect(await refusalOf(harness, path, { model: 'claude/x', input: 'Hi' })).toBe(
    '400 unsupported_parameter: service_tier',
  );
  expect(await refusalOf(harness, path, { model: 'responses/x', input: 'Hi' })).toBe('202 accepted');
});

test('a conversation without a model is refused with a tier fallback but no tier', async () => {
  const refusal = '400 unsupported_parameter: tier_fallback';

  expect(await refusalOf(harness, '/v1/conversations', { tier_fallback: 'default' })).toBe(refusal);
});

test('changing the service tier of a conversation removes its tier fallback', async () => {
  const { body } = await post('/v1/conversations', { model: 'chat/x', service_tier: 'flex', tier_fallback: 'default' });

  const changed = await harness.call('PATCH', `/v1/conversations/${body.id}`, { body: { service_tier: 'priority' } });

  expect(changed).toMatchObject({ status: 200, body: { service_tier: 'priority', tier_fallback: null } });
});

test('a change of a conversation may set and remove its service tier', async () => {
  const { body } = await post('/v1/conversations', { model: 'chat/x' });
  const change = (changes: object) => harness.call('PATCH', `/v1/conversations/${body.id}`, { body: changes });

  const set = await change({ service_tier: 'flex', tier_fallback: 'default' });
  const wrong = await change({ model: 'claude/x' });
  const removed = await change({ service_tier: null, tier_fallback: null });

  expect(body).toMatchObject({ service_tier: null, tier_fallback: null });
  expect(set).toMatchObject({ status: 200, body: { service_tier: 'flex', tier_fallback: 'default' } });
  expect(wrong).toMatchObject({ status: 400, body: { error: { param: 'service_tier' } } });
  expect(removed).toMatchObject({ status: 200, body: { service_tier: null, tier_fallback: null } });
});

test('a turn without a service tier does not store the field', async () => {
  const plain = await post('/v1/turns', turnOf({}));
  const nulls = await post('/v1/turns', turnOf({ service_tier: null, tier_fallback: null }));
  const flex = await post('/v1/turns', turnOf({ service_tier: 'flex' }));

  for (const { body } of [plain, nulls]) {
    expect(await storedOf(body.id)).not.toHaveProperty('service_tier');
    expect(await storedOf(body.id)).not.toHaveProperty('tier_fallback');
    expect(await configOf(body.id)).toMatchObject({ service_tier: null, tier_fallback: null });
  }
  expect(await storedOf(flex.body.id)).toMatchObject({ service_tier: 'flex' });
  expect(await storedOf(flex.body.id)).not.toHaveProperty('tier_fallback');
});

test('a schedule starts turns with its service tier, and is refused with that path', async () => {
  const body = { every_seconds: 60, turn: turnOf({ service_tier: 'flex', tier_fallback: 'default' }) };
  const made = await post<{ id: string; turn: object }>('/v1/schedules', body);
  const wrong = { every_seconds: 60, turn: turnOf({ model: 'claude/x', service_tier: 'flex' }) };

  await harness.advance(61_000);
  await harness.fireSchedules();
  const { body: shown } = await harness.call<{ last: { turn_id: string }[] }>('GET', `/v1/schedules/${made.body.id}`);

  expect(made).toMatchObject({ status: 201, body: { turn: { service_tier: 'flex', tier_fallback: 'default' } } });
  expect(await configOf(shown.last[0]?.turn_id)).toMatchObject({ service_tier: 'flex', tier_fallback: 'default' });
  expect(await refusalOf(harness, '/v1/schedules', wrong)).toBe('400 unsupported_parameter: turn.service_tier');
});

test('a fork and a rerun inherit the service tier unless they set it', async () => {
  await using own = await createHarness({ env: { PAWL_PROVIDERS, PAWL_PRICES } });
  const { id } = await own.startTurn({ input: 'Hi', service_tier: 'flex', tier_fallback: 'default' });
  await own.workUntilIdle();
  const again = async (path: string, body: object) => {
    const { body: turn } = await own.call<TurnResource>('POST', `/v1/turns/${id}/${path}`, { body });
    const { body: shown } = await own.call<{ config: Config }>('GET', `/v1/turns/${turn.id}?include=config`);
    return [shown.config.service_tier, shown.config.tier_fallback];
  };

  expect(await again('fork', { input: 'And?' })).toEqual(['flex', 'default']);
  expect(await again('fork', { input: 'And?', service_tier: 'priority' })).toEqual(['priority', null]);
  expect(await again('rerun', {})).toEqual(['flex', 'default']);
  expect(await again('rerun', { service_tier: 'default' })).toEqual(['default', null]);
  expect(await again('rerun', { service_tier: null })).toEqual([null, null]);
  expect(await again('rerun', { tier_fallback: null })).toEqual(['flex', null]);
});

test.each([
  [{ service_tier: 'flex' }, '202 accepted'],
  [{ service_tier: 'flex', tier_fallback: 'default' }, '202 accepted'],
  [{ service_tier: 'default' }, '202 accepted'],
  [{ service_tier: 'auto' }, '202 accepted'],
  [{ service_tier: 'priority' }, '400 unsupported_parameter: limits.max_cost_usd'],
  [{ service_tier: 'flex', model: 'responses/x' }, '400 unsupported_parameter: limits.max_cost_usd'],
  [{ service_tier: 'flex', fallback_models: ['responses/x'] }, '400 unsupported_parameter: fallback_models[0]'],
  [{ service_tier: 'default', fallback_models: ['responses/x'] }, '202 accepted'],
])('a cost limit with %j requires a price of the tier: %s', async (own, refusal) => {
  const body = turnOf({ limits: { max_cost_usd: 1 }, ...own });

  expect(await refusalOf(harness, '/v1/turns', body)).toBe(refusal);
});

test('the refusal of a cost limit names the tier without a price', async () => {
  const { body } = await post('/v1/turns', turnOf({ service_tier: 'priority', limits: { max_cost_usd: 1 } }));

  expect(body).toHaveProperty('error.message', expect.stringMatching(/chat\/x.*priority|priority.*chat\/x/));
});

test('the OpenAPI document lists the service tiers', async () => {
  type Schemas = Record<string, { properties: Record<string, object> }>;
  const { body } = await harness.call<{ components: { schemas: Schemas } }>('GET', '/openapi.json');
  const { TurnRequest, Round } = body.components.schemas;

  const tiers = ['auto', 'default', 'flex', 'priority', 'batch', null];
  expect(TurnRequest?.properties.service_tier).toMatchObject({ enum: tiers });
  expect(JSON.stringify(TurnRequest?.properties.tier_fallback)).toContain('"default"');
  expect(JSON.stringify(Round?.properties.service_tier)).toMatch(/"string".*"null"|"null".*"string"/);
  expect(JSON.stringify(body)).toContain('tier.changed');
});
