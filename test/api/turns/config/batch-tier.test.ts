import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { refusalOf } from '../../refusals.ts';

const at = (kind: string, own: object = {}) => ({ kind, base_url: 'http://127.0.0.1:1', ...own });
const mistral = { kind: 'ai-sdk', module: '@ai-sdk/mistral', export: 'createMistral', options: { apiKey: 'none' } };
const PAWL_PROVIDERS = JSON.stringify({
  ...{ chat: at('openai', { allowed_headers: ['x-tag'] }), responses: at('openai-responses') },
  ...{ claude: at('anthropic'), gem: at('gemini'), off: at('openai', { batch: false }), pack: mistral },
});
const base = { input: 2, output: 8 };
const PAWL_PRICES = JSON.stringify({
  ...{ 'chat/x': { ...base, tiers: { batch: { input: 1, output: 4 } } }, 'claude/x': base },
});
const others = { XAI_API_KEY: 'none', OLLAMA_BASE_URL: 'http://127.0.0.1:1/v1' };

// No worker runs here, so one harness serves all tests.
let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ env: { PAWL_PROVIDERS, PAWL_PRICES, ...others } });
});
afterAll(() => harness[Symbol.asyncDispose]());

const post = <Body = Record<string, unknown>>(path: string, body: object) => harness.call<Body>('POST', path, { body });
const turnOf = (own: object = {}) => ({ model: 'chat/x', input: 'Hi', service_tier: 'batch', ...own });
const refused = (param: string) => `400 unsupported_parameter: ${param}`;

test('the provider list shows which providers have a batch API', async () => {
  const { body } = await harness.call<{ data: { name: string; batch: boolean }[] }>('GET', '/v1/models');

  const without = body.data.filter(({ batch }) => !batch).map(({ name }) => name);
  const known = body.data.filter(({ batch }) => batch).map(({ name }) => name);
  expect(new Set(without)).toEqual(new Set(['xai', 'ollama', 'off', 'pack']));
  expect(known).toEqual(
    expect.arrayContaining(['openai', 'sim', 'sim-responses', 'chat', 'responses', 'claude', 'gem']),
  );
});

test.each(['off/x', 'xai/grok-4', 'ollama/qwen3'])('a turn of %s with the tier batch is refused', async (model) => {
  expect(await refusalOf(harness, '/v1/turns', turnOf({ model }))).toBe(refused('service_tier'));
  expect(await refusalOf(harness, '/v1/turns', turnOf({ model, service_tier: 'default' }))).toBe('202 accepted');
});

test('a fallback model without a batch API is refused with its index', async () => {
  const fallback_models = ['claude/x', 'off/x'];

  expect(await refusalOf(harness, '/v1/turns', turnOf({ fallback_models }))).toBe(refused('fallback_models[1]'));
  expect(await refusalOf(harness, '/v1/turns', turnOf({ fallback_models: ['claude/x', 'gem/x'] }))).toBe(
    '202 accepted',
  );
});

test.each([
  [{ tool_mode: 'emulated' }, 'tool_mode'],
  [{ provider_headers: { 'x-tag': 'one' } }, 'provider_headers'],
  [{ provider_options: { background: true } }, 'provider_options.background'],
])('the tier batch with %j is refused, also if one is inherited', async (field, param) => {
  const { service_tier: _, ...plain } = turnOf();
  const tiered = await post('/v1/conversations', { model: 'chat/x', service_tier: 'batch' });
  const other = await post('/v1/conversations', { model: 'chat/x', ...field });
  const schedule = { every_seconds: 60, turn: turnOf(field) };

  expect(await refusalOf(harness, '/v1/turns', turnOf(field))).toBe(refused(param));
  expect(await refusalOf(harness, '/v1/turns', { ...plain, ...field })).toBe('202 accepted');
  expect(await refusalOf(harness, '/v1/conversations', { service_tier: 'batch', ...field })).toBe(refused(param));
  expect(await refusalOf(harness, `/v1/conversations/${tiered.body.id}/turns`, { ...plain, ...field })).toBe(
    refused(param),
  );
  expect(await refusalOf(harness, `/v1/conversations/${other.body.id}/turns`, turnOf())).toBe(refused(param));
  expect(await refusalOf(harness, '/v1/schedules', schedule)).toBe(refused(`turn.${param}`));
});

test('the refusal of a tool mode on batch names both fields and the next step', async () => {
  const { body } = await post('/v1/turns', turnOf({ tool_mode: 'emulated' }));

  expect(body).toHaveProperty('error.message', expect.stringMatching(/tool_mode.*service_tier "batch".*Set tool_mode/));
});

test.each([
  [{ tier_fallback: 'default' }],
  [{ tool_mode: 'inline' }],
  [{ model_retry: { max_attempts: 5, timeout_ms: 1_000, idle_timeout_ms: 1_000 } }],
  [{ limits: { deadline_seconds: 86_400 } }],
  [{ output_schema: { name: 'x', schema: { type: 'object' } } }],
])('the tier batch with %j is accepted', async (field) => {
  expect(await refusalOf(harness, '/v1/turns', turnOf(field))).toBe('202 accepted');
});

test.each([
  [{}, '202 accepted'],
  [{ tier_fallback: 'default' }, '202 accepted'],
  [{ model: 'claude/x' }, refused('limits.max_cost_usd')],
  [{ fallback_models: ['claude/x'] }, refused('fallback_models[0]')],
])('a cost limit on batch with %j requires the price of the tier', async (own, refusal) => {
  expect(await refusalOf(harness, '/v1/turns', turnOf({ limits: { max_cost_usd: 1 }, ...own }))).toBe(refusal);
});

test('a turn inherits the tier batch, and a fork and a rerun check it', async () => {
  await using own = await createHarness({ env: { PAWL_PROVIDERS, PAWL_PRICES } });
  const { id } = await own.startTurn({ input: 'Hi' });
  await own.workUntilIdle();
  const { body: conversation } = await own.call('POST', '/v1/conversations', {
    body: { model: 'openai/test', service_tier: 'batch', tier_fallback: 'default' },
  });
  const tierOf = async (path: string, body: object) => {
    const { body: turn } = await own.call<TurnResource>('POST', path, { body });
    const { body: shown } = await own.call('GET', `/v1/turns/${turn.id}?include=config`);
    return shown.config;
  };
  const batch = { service_tier: 'batch' };

  expect(await tierOf(`/v1/conversations/${conversation.id}/turns`, { input: 'Hi' })).toMatchObject({
    ...batch,
    tier_fallback: 'default',
  });
  expect(await tierOf(`/v1/turns/${id}/fork`, { input: 'And?', ...batch })).toMatchObject(batch);
  expect(await tierOf(`/v1/turns/${id}/rerun`, batch)).toMatchObject(batch);
  const emulated = { ...batch, tool_mode: 'emulated' };
  expect(await refusalOf(own, `/v1/turns/${id}/fork`, { input: 'And?', ...emulated })).toBe(refused('tool_mode'));
});
