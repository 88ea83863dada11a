import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { describeRefusal, refusalOf } from '../refusals.ts';

const good = { model: 'openai/test', input: 'Hi' };

// A refused request leaves no rows, so one harness serves all tests.
let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

test('an unknown field is refused with its path at any depth', async () => {
  const at = (more: object) => refusalOf(harness, '/v1/turns', { ...good, ...more });

  expect(await at({ inputt: 1 })).toBe('400 unknown_field: inputt');
  expect(await at({ limits: { max_round: 1 } })).toBe('400 unknown_field: limits.max_round');
  expect(await at({ webhook: { url: 'https://example.com', secret: 'x' } })).toBe('400 unknown_field: webhook.secret');
  expect(await at({ input: [{ role: 'user', content: 'a', name: 'b' }] })).toBe('400 unknown_field: input[0].name');
  expect(await at({ tool_choice: { type: 'specific', name: 'weather_lookup', x: 1 } })).toBe(
    '400 unknown_field: tool_choice.x',
  );
  expect(await refusalOf(harness, '/v1/conversations', { modell: 'openai/test' })).toBe('400 unknown_field: modell');
  expect(await refusalOf(harness, await turnsOf(harness), { input: 'Hi', imput: 1 })).toBe('400 unknown_field: imput');
});

test('the name of a model has a maximum length', async () => {
  const named = (length: number) => ({ ...good, model: `openai/${'x'.repeat(length - 'openai/'.length)}` });

  expect(await refusalOf(harness, '/v1/turns', named(513))).toBe('400 invalid_value: model');
  expect((await harness.call('POST', '/v1/turns', { body: named(512) })).status).toBe(202);
});

test('a missing field is refused with its path', async () => {
  expect(await refusalOf(harness, '/v1/turns', { model: 'openai/test' })).toBe('400 missing_field: input');
  expect(await refusalOf(harness, '/v1/turns', { input: 'Hi' })).toBe('400 missing_field: model');
  expect(await refusalOf(harness, '/v1/turns', { ...good, webhook: {} })).toBe('400 missing_field: webhook.url');
  expect(await refusalOf(harness, '/v1/conversations', { input: 'Hi' })).toBe('400 missing_field: model');
  expect(await refusalOf(harness, '/v1/turns', undefined)).toBe('400 missing_field: input');
  expect(await refusalOf(harness, '/v1/turns', { ...good, input: [{ role: 'user' }] })).toBe(
    '400 missing_field: input[0].content',
  );
  expect(await refusalOf(harness, '/v1/turns', { ...good, tool_choice: { type: 'specific' } })).toBe(
    '400 missing_field: tool_choice.name',
  );
});

test.each([
  [{ model: 5 }, 'model'],
  [{ model: 'gpt-4.1' }, 'model'],
  [{ instructions: ['x'] }, 'instructions'],
  [{ input: 5 }, 'input'],
  [{ input: '' }, 'input'],
  [{ input: [] }, 'input'],
  [{ input: [{ role: 'tool', content: 'x' }] }, 'input[0].role'],
  [{ input: [{ role: 'user', content: 5 }] }, 'input[0].content'],
  [{ tools: 'weather_lookup' }, 'tools'],
  [{ tools: [5] }, 'tools[0]'],
  [{ tools: [null] }, 'tools[0]'],
  [{ tool_choice: 'sometimes' }, 'tool_choice'],
  [{ tool_choice: 'required' }, 'tool_choice'],
  [{ tool_choice: { type: 'specific', name: 'missing' } }, 'tool_choice.name'],
  [{ tool_choice: { type: 'exact', name: 'missing' } }, 'tool_choice.type'],
  [{ tool_mode: 'magic' }, 'tool_mode'],
  [{ parallel_tool_calls: 'yes' }, 'parallel_tool_calls'],
  [{ temperature: 'hot' }, 'temperature'],
  [{ top_p: 1.5 }, 'top_p'],
  [{ reasoning_effort: 'much' }, 'reasoning_effort'],
  [{ verbosity: 'long' }, 'verbosity'],
  [{ max_output_tokens: 0 }, 'max_output_tokens'],
  [{ max_output_tokens: 1.5 }, 'max_output_tokens'],
  [{ limits: { max_rounds: 0 } }, 'limits.max_rounds'],
  [{ limits: { max_tool_calls: -1 } }, 'limits.max_tool_calls'],
  [{ limits: { max_total_tokens: 'all' } }, 'limits.max_total_tokens'],
  [{ limits: { deadline_seconds: 0 } }, 'limits.deadline_seconds'],
  [{ on_active_turn: 'wait' }, 'on_active_turn'],
  [{ allowed_capabilities: ['flying'] }, 'allowed_capabilities[0]'],
  [{ provider_options: [] }, 'provider_options'],
  [{ webhook: 'https://example.com' }, 'webhook'],
  [{ webhook: { url: 'ftp://example.com' } }, 'webhook.url'],
  [{ webhook: { url: 'https://example.com', events: ['turn.started'] } }, 'webhook.events[0]'],
  [{ webhook: { url: 'https://example.com', include: ['rounds'] } }, 'webhook.include[0]'],
  [{ priority: 1.5 }, 'priority'],
  [{ metadata: { k: 5 } }, 'metadata.k'],
  [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, 'v'])) }, 'metadata'],
])('the invalid value %j is refused with its path', async (wrong, param) => {
  const refusal = await refusalOf(harness, '/v1/turns', { ...good, ...wrong });

  expect(refusal).toBe(`400 invalid_value: ${param}`);
});

test('a turn or conversation is refused if its provider is not configured', async () => {
  const refusals = await Promise.all([
    refusalOf(harness, '/v1/turns', { ...good, model: 'anthropic/claude-sonnet-4-5' }),
    refusalOf(harness, '/v1/conversations', { model: 'missing/x' }),
    refusalOf(harness, await turnsOf(harness), { input: 'Hi', model: 'gemini/gemini-2.5-pro' }),
  ]);

  expect(refusals).toEqual(Array(3).fill('400 provider_not_configured: model'));
});

test('a turn is refused if its webhook has a private address', async () => {
  const hooked = (url: string) => refusalOf(harness, '/v1/turns', { ...good, webhook: { url } });

  expect(await hooked('http://10.0.0.1/hook')).toBe('400 egress_blocked: webhook.url');
  expect(await hooked('http://[::1]/hook')).toBe('400 egress_blocked: webhook.url');
  expect(await hooked('http://169.254.169.254/latest')).toBe('400 egress_blocked: webhook.url');
});

test('an unknown route is answered with 404', async () => {
  const answers = await Promise.all([
    harness.call('GET', '/v1/nothing'),
    harness.call('GET', '/nothing'),
    harness.call('PUT', '/v1/turns/', { body: {} }),
  ]);

  expect(answers.map(describeRefusal)).toEqual(Array(3).fill('404 route_not_found: null'));
});

test.each([
  '/v1/turns?limit=0',
  '/v1/turns?limit=101',
  '/v1/turns?limit=x',
  '/v1/turns?status=sleeping',
  '/v1/turns?cursor=x',
  '/v1/conversations?limit=0',
  '/v1/conversations?cursor=turn_01k',
  '/v1/turns/:id?wait=61',
  '/v1/turns/:id?wait=-1',
  '/v1/turns/:id?wait=soon',
  '/v1/turns/:id?after=-1',
  '/v1/turns/:id?after=x',
  '/v1/turns/:id?after=1.5',
  '/v1/turns/:id/events?limit=0',
  ...['wait=0x5', 'wait=', 'wait=%205%20', 'wait=1e1', 'wait=+5', 'wait=5&wait=6'].map(
    (query) => `/v1/turns/:id?${query}`,
  ),
  ...['after=2147483648', 'after=', 'after=0x1', 'after=%201'].map((query) => `/v1/turns/:id?${query}`),
  ...['limit=', 'limit=0x5', 'limit=%205'].map((query) => `/v1/turns?${query}`),
  ...['after=2147483648', 'after=', 'cursor=x', 'limit=1001', 'limit=1.0'].map(
    (query) => `/v1/turns/:id/events?${query}`,
  ),
])('%s is refused with the name of the invalid parameter', async (path) => {
  const { id } = await harness.startTurn({ input: 'Hi' });

  const refusal = describeRefusal(await harness.call('GET', path.replace(':id', id)));

  expect(refusal).toBe(`400 invalid_value: ${/\?(\w+)=/.exec(path)?.[1]}`);
});

test.each([
  'GET /v1/turns?stauts=failed',
  'GET /v1/turns/:id?waitt=5',
  'GET /v1/turns/:id/rounds?limit=5',
  'GET /v1/turns/:id/events?after=1&limt=5',
  'GET /v1/conversations?order=asc',
  'GET /v1/tools?q=x',
  'HEAD /v1/turns/:id?waitt=5',
  'POST /v1/turns/:id/cancel?force=1',
])('%s is refused with the name of the unknown parameter', async (route) => {
  const { id } = await harness.startTurn({ input: 'Hi' });
  const [method = '', path = ''] = route.replace(':id', id).split(' ');

  const answer = await harness.call(method, path);

  expect(answer.status).toBe(400);
  if (method === 'HEAD') return;
  expect(describeRefusal(answer)).toBe(`400 unknown_field: ${/(\w+)=[^=]*$/.exec(path)?.[1]}`);
  expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('Unknown query parameter') } });
});

test.each(['cancel', 'retry', 'redeliver', 'rotate_secret', 'test'])(
  'the action %s accepts only an empty body',
  async (action) => {
    const { id } = await harness.startTurn({ input: 'Hi' });
    const endpoint = await harness.call('POST', '/v1/webhook_endpoints', { body: { url: 'https://example.com/' } });
    const of = { redeliver: '/v1/deliveries/dlv_x', cancel: `/v1/turns/${id}`, retry: `/v1/turns/${id}` };
    const path = `${of[action as 'cancel'] ?? `/v1/webhook_endpoints/${endpoint.body.id}`}/${action}`;
    const said = async (body: unknown) => describeRefusal(await harness.call('POST', path, { body }));

    expect(await said({ force: true })).toBe('400 unknown_field: force');
    expect(await said('[]')).toBe('400 invalid_value: null');
    expect(await said({})).not.toMatch(/^400/);
  },
);

test.each([
  [{ model: 5 }, 'give a text'],
  [{ input: 5 }, 'give a text, or a list'],
  [{ input: [{ role: 'tool', content: 'x' }] }, 'give one of `user`, `assistant`, `system`'],
  [{ tools: [5] }, 'give a text, or an object'],
  [{ tools: [{ name: 'a', execution: { kind: 'ftp' } }] }, 'give one of `server`, `client`, `http`, `mcp`'],
  [{ tool_choice: 'sometimes' }, 'give one of `auto`, `none`, `required`, or an object'],
  [{ parallel_tool_calls: 'yes' }, 'give true or false'],
  [{ temperature: 3 }, 'give at most 2'],
  [{ max_output_tokens: 1.5 }, 'give a whole number'],
  [{ limits: { max_rounds: 0 } }, 'give at least 1'],
  [{ metadata: { k: 'v'.repeat(513) } }, 'give at most 512 characters'],
  [{ metadata: { ['k'.repeat(65)]: 'v' } }, 'give keys that are valid: give at most 64 characters'],
  [{ webhook: { url: 'https://example.com', include: ['rounds'] } }, 'give `turn`'],
  [{ provider_options: [] }, 'give an object'],
])('a refusal of %j names the expected value', async (wrong, what) => {
  const { body } = await harness.call('POST', '/v1/turns', { body: { ...good, ...wrong } });

  expect(body).toMatchObject({ error: { message: expect.stringContaining(`is not valid: ${what}.`) } });
});

async function turnsOf({ call }: Harness): Promise<string> {
  const { body } = await call('POST', '/v1/conversations', { body: { model: 'openai/test' } });
  return `/v1/conversations/${body.id}/turns`;
}
