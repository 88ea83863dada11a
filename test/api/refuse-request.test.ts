import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from '#test/world/create-world.ts';
import { describeRefusal, refusalOf } from './refusals.ts';

const good = { model: 'openai/test', input: 'Hi' };

// What is refused leaves nothing behind: one world serves all.
let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

test('a field nobody knows is refused by its name, wherever it stands', async () => {
  const at = (more: object) => refusalOf(world, '/v1/turns', { ...good, ...more });

  expect(await at({ inputt: 1 })).toBe('400 unknown_field: inputt');
  expect(await at({ limits: { max_round: 1 } })).toBe('400 unknown_field: limits.max_round');
  expect(await at({ webhook: { url: 'https://example.com', secret: 'x' } })).toBe('400 unknown_field: webhook.secret');
  expect(await at({ input: [{ role: 'user', content: 'a', name: 'b' }] })).toBe('400 unknown_field: input[0].name');
  expect(await at({ tool_choice: { type: 'specific', name: 'weather_lookup', x: 1 } })).toBe(
    '400 unknown_field: tool_choice.x',
  );
  expect(await refusalOf(world, '/v1/conversations', { modell: 'openai/test' })).toBe('400 unknown_field: modell');
  expect(await refusalOf(world, await turnsOf(world), { input: 'Hi', imput: 1 })).toBe('400 unknown_field: imput');
});

test('what is missing is asked for by its name', async () => {
  expect(await refusalOf(world, '/v1/turns', { model: 'openai/test' })).toBe('400 missing_field: input');
  expect(await refusalOf(world, '/v1/turns', { input: 'Hi' })).toBe('400 missing_field: model');
  expect(await refusalOf(world, '/v1/turns', { ...good, webhook: {} })).toBe('400 missing_field: webhook.url');
  expect(await refusalOf(world, '/v1/conversations', { input: 'Hi' })).toBe('400 missing_field: model');
  expect(await refusalOf(world, '/v1/turns', undefined)).toBe('400 missing_field: input');
  expect(await refusalOf(world, '/v1/turns', { ...good, input: [{ role: 'user' }] })).toBe(
    '400 missing_field: input[0].content',
  );
  expect(await refusalOf(world, '/v1/turns', { ...good, tool_choice: { type: 'specific' } })).toBe(
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
  [{ tool_choice: { type: 'specific', name: 'nobody' } }, 'tool_choice.name'],
  [{ tool_choice: { type: 'exact', name: 'nobody' } }, 'tool_choice.type'],
  [{ tool_mode: 'magic' }, 'tool_mode'],
  [{ parallel_tool_calls: 'yes' }, 'parallel_tool_calls'],
  [{ temperature: 'hot' }, 'temperature'],
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
])('%j is refused, naming the place', async (wrong, param) => {
  const refusal = await refusalOf(world, '/v1/turns', { ...good, ...wrong });

  expect(refusal).toBe(`400 invalid_value: ${param}`);
});

test('a provider that is not configured is refused at submission', async () => {
  const refusals = await Promise.all([
    refusalOf(world, '/v1/turns', { ...good, model: 'anthropic/claude-sonnet-4-5' }),
    refusalOf(world, '/v1/conversations', { model: 'nobody/x' }),
    refusalOf(world, await turnsOf(world), { input: 'Hi', model: 'gemini/gemini-2.5-pro' }),
  ]);

  expect(refusals).toEqual(Array(3).fill('400 provider_not_configured: model'));
});

test('a private address as webhook is refused at submission', async () => {
  const hooked = (url: string) => refusalOf(world, '/v1/turns', { ...good, webhook: { url } });

  expect(await hooked('http://10.0.0.1/hook')).toBe('400 egress_blocked: webhook.url');
  expect(await hooked('http://[::1]/hook')).toBe('400 egress_blocked: webhook.url');
  expect(await hooked('http://169.254.169.254/latest')).toBe('400 egress_blocked: webhook.url');
});

test('a route that is not there is 404', async () => {
  const answers = await Promise.all([
    world.call('GET', '/v1/nothing'),
    world.call('GET', '/nothing'),
    world.call('PUT', '/v1/turns', { body: {} }),
    world.call('DELETE', '/v1/turns'),
  ]);

  expect(answers.map(describeRefusal)).toEqual(Array(4).fill('404 route_not_found: null'));
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
])('%s is refused, naming the parameter', async (path) => {
  const { id } = await world.startTurn({ input: 'Hi' });

  const refusal = describeRefusal(await world.call('GET', path.replace(':id', id)));

  expect(refusal).toBe(`400 invalid_value: ${/\?(\w+)=/.exec(path)?.[1]}`);
});

async function turnsOf({ call }: World): Promise<string> {
  const { body } = await call('POST', '/v1/conversations', { body: { model: 'openai/test' } });
  return `/v1/conversations/${body.id}/turns`;
}
