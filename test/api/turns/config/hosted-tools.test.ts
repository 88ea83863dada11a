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
  ...{ 'claude/x': { ...base, hosted: { web_search: 0.01 } }, 'gem/x': base, 'responses/*': base },
});

// No worker runs here, so one harness serves all tests.
let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ env: { PAWL_PROVIDERS, PAWL_PRICES } });
});
afterAll(() => harness[Symbol.asyncDispose]());

const post = <Body = Record<string, unknown>>(path: string, body: object) => harness.call<Body>('POST', path, { body });
const turnOf = (own: object) => ({ model: 'claude/x', input: 'Hi', ...own });
const refusalOfTurn = (own: object) => refusalOf(harness, '/v1/turns', turnOf(own));
const toolsOf = async (id: unknown) =>
  (await harness.call<{ config: { tools: object[] } }>('GET', `/v1/turns/${id}?include=config`)).body.config.tools;
const search = { type: 'web_search' };
const look = { name: 'look', description: 'Looks at something.' };

const KINDS = ['web_search', 'web_fetch', 'code_execution', 'file_search', 'image_generation'];

test.each([
  ['chat/x', []],
  ['sim/demo', []],
  ['pack/x', []],
  ['responses/x', ['web_search', 'code_execution', 'file_search', 'image_generation']],
  ['claude/x', ['web_search', 'web_fetch', 'code_execution']],
  ['gem/x', ['web_search', 'web_fetch', 'code_execution', 'file_search']],
])('%s accepts the hosted tools of its wire and refuses the others', async (model, known: string[]) => {
  for (const type of KINDS) {
    const isKnown = known.includes(type);
    const answers = [
      await refusalOfTurn({ model, tools: [{ type }] }),
      await refusalOf(harness, '/v1/conversations', { model, tools: [{ type }] }),
    ];
    const refusal = '400 unsupported_parameter: tools';
    expect(answers.map((answer) => answer.slice(0, isKnown ? 3 : refusal.length))).toEqual(
      isKnown ? ['202', '201'] : [refusal, refusal],
    );
  }
  const { body } = await harness.call<{ data: { name: string; hosted_tools: string[] }[] }>('GET', '/v1/models');
  expect(body.data.find(({ name }) => name === model.split('/')[0])?.hosted_tools).toEqual(known);
});

test('a turn shows its functions, then its hosted tools with their options', async () => {
  const file = { type: 'file_search', options: { vector_store_ids: ['vs_1'] } };
  const tools = [{ ...search, options: null }, look, file];
  const { body } = await post<TurnResource>('/v1/turns', turnOf({ model: 'responses/x', tools }));

  expect(await toolsOf(body.id)).toEqual([expect.objectContaining(look), search, file]);
});

test('later turns, forks and reruns keep hosted tools, or have their own list', async () => {
  const { body: conversation } = await post('/v1/conversations', { model: 'claude/x', tools: [search] });
  const path = `/v1/conversations/${conversation.id}`;
  const { body: turn } = await post<TurnResource>(`${path}/turns`, { input: 'Hi' });
  await harness.call('POST', `/v1/turns/${turn.id}/cancel`);
  const { body: plain } = await post<TurnResource>(`${path}/turns`, { input: 'Hi', tools: [look] });
  await harness.call('POST', `/v1/turns/${plain.id}/cancel`);
  const { body: rerun } = await post<TurnResource>(`/v1/turns/${turn.id}/rerun`, {});

  expect(conversation).toMatchObject({ tools: [search] });
  expect(await toolsOf(turn.id)).toEqual([search]);
  expect(await toolsOf(plain.id)).toEqual([expect.objectContaining(look)]);
  expect(await toolsOf(rerun.id)).toEqual([search]);
});

test('hosted tools of a conversation without a model are checked with each turn', async () => {
  const given = { tools: [search, { type: 'web_fetch' }], tool_choice: 'required' };
  const { status, body } = await post('/v1/conversations', given);
  const path = `/v1/conversations/${body.id}/turns`;

  expect(status).toBe(201);
  expect(await refusalOf(harness, path, { model: 'chat/x', input: 'Hi' })).toBe('400 unsupported_parameter: tools');
  expect(await refusalOf(harness, path, { model: 'claude/x', input: 'Hi' })).toBe('202 accepted');
  expect(await refusalOf(harness, '/v1/conversations', { tools: [look, search, search] })).toBe(
    '400 invalid_tool: tools[2].type',
  );
});

test('each fallback must have the hosted tools of the turn', async () => {
  const tools = [{ type: 'web_fetch' }];

  expect(await refusalOfTurn({ tools, fallback_models: ['gem/x'] })).toBe('202 accepted');
  expect(await refusalOfTurn({ tools, fallback_models: ['gem/x', 'responses/x'] })).toMatch(
    /^400 unsupported_parameter: fallback_models\[1\]/,
  );
});

test('options of a hosted tool fit only fallbacks of the same wire', async () => {
  const tools = [look, { ...search, options: { max_uses: 2 } }];

  expect(await refusalOfTurn({ tools, fallback_models: ['claude/y'] })).toBe('202 accepted');
  expect(await refusalOfTurn({ tools, fallback_models: ['claude/y', 'gem/x'] })).toMatch(
    /^400 unsupported_parameter: fallback_models\[1\]/,
  );
  expect(await refusalOfTurn({ tools: [{ ...search, options: {} }], fallback_models: ['gem/x'] })).toBe('202 accepted');
});

test('hosted tools need their capability and native mode', async () => {
  const refused = async (type: string, own: object) =>
    refusalOfTurn({ model: 'gem/x', tools: [look, { type }], ...own });
  const only = { allowed_capabilities: ['filesystem'] };

  for (const [type, capability] of [
    ['web_search', 'network'],
    ['web_fetch', 'network'],
    ['code_execution', 'shell'],
    ['file_search', 'database'],
  ] as const) {
    expect(await refused(type, only)).toMatch(/^400 invalid_tool: tools\[1\]\.type/);
    expect(await refused(type, { allowed_capabilities: [capability] })).toBe('202 accepted');
  }
  const image = { model: 'responses/x', tools: [{ type: 'image_generation' }], ...only };
  expect(await refusalOfTurn(image)).toBe('202 accepted');
  for (const tool_mode of ['emulated', 'inline']) {
    expect(await refused('web_search', { tool_mode })).toMatch(/^400 unsupported_parameter: tool_mode/);
  }
});

test.each([
  ['image_generation', 'web_search'],
  ['web_search', 'function'],
  ['web_search', 'web_searches'],
  ['web_search', null],
  ['code_execution', 'bash'],
])('options of %s cannot have the type %s of another tool', async (type, other) => {
  const own = { tools: [{ type, options: { type: other } }], allowed_capabilities: ['network', 'shell'] };

  expect(await refusalOfTurn({ model: 'responses/x', ...own })).toMatch(/^400 invalid_tool: tools\[0\]\.options\.type/);
});

test.each([
  ['claude/x', 'web_search', 'web_search_20250305'],
  ['claude/x', 'code_execution', 'code_execution_20250825'],
  ['responses/x', 'web_search', 'web_search_preview_2025_03_11'],
  ['responses/x', 'code_execution', 'code_interpreter'],
])('%s accepts a version of %s in options: %s', async (model, type, version) => {
  expect(await refusalOfTurn({ model, tools: [{ type, options: { type: version } }] })).toBe('202 accepted');
});

test('a cost limit needs a price for each hosted tool', async () => {
  const limits = { max_cost_usd: 1 };

  expect(await refusalOfTurn({ tools: [search], limits })).toBe('202 accepted');
  expect(await refusalOfTurn({ tools: [search, { type: 'web_fetch' }], limits })).toMatch(
    /^400 unsupported_parameter: limits\.max_cost_usd/,
  );
  expect(await refusalOfTurn({ model: 'gem/x', tools: [search], limits })).toMatch(/limits\.max_cost_usd/);
  expect(await refusalOfTurn({ model: 'gem/x', limits })).toBe('202 accepted');
});

test.each([
  ['a repeated kind', [search, look, search], 'invalid_tool: tools[2].type'],
  ['an unknown kind', [{ type: 'computer_use' }], 'invalid_value: tools[0].type'],
  ['an unknown field', [{ type: 'web_search', filters: {} }], 'unknown_field: tools[0].filters'],
  ['options that are no object', [{ type: 'web_search', options: 'all' }], 'invalid_value: tools[0].options'],
  ['another kind', [{ ...search, options: { type: 'code_interpreter' } }], 'invalid_tool: tools[0].options.type'],
  ['a bad function after hosted tools', [search, { ...look, name: 'Look!' }], 'invalid_tool: tools[1].name'],
])('%s is refused with its path', async (_, tools, refusal) => {
  expect(await refusalOfTurn({ tools })).toContain(`400 ${refusal}`);
});

test('options may name another version of a hosted tool', async () => {
  const tools = [{ ...search, options: { type: 'web_search_20250305' } }];

  expect(await refusalOfTurn({ tools })).toBe('202 accepted');
});

test('a required choice may be met by a hosted tool', async () => {
  const required = { tools: [search], tool_choice: 'required' };

  expect(await refusalOfTurn(required)).toBe('202 accepted');
  expect(await refusalOfTurn({ ...required, model: 'gem/x' })).toMatch(/^400 unsupported_parameter: tool_choice/);
  expect(await refusalOfTurn({ ...required, model: 'gem/x', tools: [search, look] })).toBe('202 accepted');
  expect(await refusalOfTurn({ tools: [], tool_choice: 'required' })).toMatch(/^400 invalid_value: tool_choice/);
});

test('the request of a round shows the hosted tools', async () => {
  const { body } = await post<TurnResource>('/v1/turns', turnOf({ tools: [look, search] }));
  const sent = await harness.call('GET', `/v1/turns/${body.id}/rounds/1/sent`);

  expect(sent.body).toMatchObject({ tools: [{ name: 'look' }], hosted_tools: [search] });
});
