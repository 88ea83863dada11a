import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { watchUsedCpu } from '#test/harness/watch-stalls.ts';
import { refusalOf } from '../../refusals.ts';

// A refused request leaves no rows, so one harness serves all tests.
let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

const object = (more: Record<string, unknown> = {}) => ({ type: 'object', properties: {}, ...more });
const tool = (more: Record<string, unknown> = {}) => ({
  ...{ type: 'function', name: 'find_city', description: 'Finds a city by its name' },
  ...more,
});
const nested = (levels: number): Record<string, unknown> =>
  levels === 0 ? { type: 'string' } : object({ properties: { deeper: nested(levels - 1) } });

test.each<[tools: unknown[], param: string]>([
  [[tool({ name: 'FindCity' })], 'tools[0].name'],
  [[tool({ name: '1_city' })], 'tools[0].name'],
  [[tool({ name: 'find-city' })], 'tools[0].name'],
  [[tool({ name: '' })], 'tools[0].name'],
  [[tool({ name: `a${'b'.repeat(64)}` })], 'tools[0].name'],
  [[tool({ name: undefined })], 'tools[0].name'],
  [[tool({ name: null })], 'tools[0].name'],
  [[tool({ description: 'Too short' })], 'tools[0].description'],
  [[tool({ description: 'x'.repeat(501) })], 'tools[0].description'],
  [[tool({ description: undefined })], 'tools[0].description'],
  [[tool({ description: null })], 'tools[0].description'],
  [[tool({ parameters: { type: 'string' } })], 'tools[0].parameters'],
  [[tool({ parameters: 'city' })], 'tools[0].parameters'],
  [[tool({ parameters: object({ required: ['city'] }) })], 'tools[0].parameters.required'],
  [
    [tool({ parameters: object({ properties: { a: object({ required: ['b'] }) } }) })],
    'tools[0].parameters.properties.a.required',
  ],
  [[tool(), tool({ name: 'other_tool', parameters: object({ required: 5 }) })], 'tools[1].parameters.required'],
  [[tool(), tool()], 'tools[1].name'],
  [['weather_lookup', 'weather_lookup'], 'tools[1].name'],
  [['missing_tool'], 'tools[0]'],
  [['weather_lookup', 'missing_tool'], 'tools[1]'],
  [[tool({ execution: { kind: 'server' } })], 'tools[0].name'],
  [[tool({ execution: { kind: 'magic' } })], 'tools[0].execution.kind'],
  [[tool({ execution: { kind: 'http' } })], 'tools[0].execution.url'],
  [[httpTool('call_home', 'http://192.168.1.1/')], 'tools[0].execution.url'],
  [[httpTool('call_home', 'file:///etc/passwd')], 'tools[0].execution.url'],
  [[tool({ execution: { kind: 'mcp', server: 'missing' } })], 'tools[0].execution.server'],
  [[tool({ type: 'retrieval' })], 'tools[0].type'],
  [[tool({ effect: 'twice' })], 'tools[0].effect'],
  [[tool({ timeout_ms: 0 })], 'tools[0].timeout_ms'],
  [[tool({ retry: { max_attempts: 0 } })], 'tools[0].retry.max_attempts'],
  [[tool({ approval: 'sometimes' })], 'tools[0].approval'],
  [[tool({ capabilities: ['flying'] })], 'tools[0].capabilities[0]'],
  [[tool({ rate_limit: { max: 1 } })], 'tools[0].rate_limit.per_seconds'],
  [[httpTool('read_page', 'https://example.com/', { cache_ttl_seconds: 60 })], 'tools[0].cache_ttl_seconds'],
  [
    [httpTool('read_page', 'https://example.com/', { cache_ttl_seconds: 60, effect: 'idempotent' })],
    'tools[0].cache_ttl_seconds',
  ],
  [[tool({ cache_ttl_seconds: 60, effect: 'none' })], 'tools[0].cache_ttl_seconds'],
  [[{ name: 'note_visit', cache_ttl_seconds: 60 }], 'tools[0].cache_ttl_seconds'],
  [[tool({ strict: true })], 'tools[0].strict'],
])('an invalid tool is refused with its path: %j', async (tools, param) => {
  const body = { model: 'openai/test', input: 'Hi', tools };

  const refusals = [await refusalOf(harness, '/v1/turns', body), await refusalOf(harness, '/v1/conversations', body)];

  expect(refusals[0]).toMatch(/^400 /);
  expect(refusals[0]?.slice(refusals[0].indexOf(': ') + 2)).toBe(param);
  expect(refusals[1]).toBe(refusals[0]);
});

test('a tool schema may have ten levels, and is refused with eleven', async () => {
  const nestedTool = (levels: number) => ({ model: 'openai/test', tools: [tool({ parameters: nested(levels) })] });

  const taken = await harness.call('POST', '/v1/conversations', { body: nestedTool(10) });
  const refused = await refusalOf(harness, '/v1/conversations', nestedTool(11));

  expect(taken.status).toBe(201);
  expect(refused).toMatch(/^400 invalid_tool: tools\[0\]\.parameters\.properties\.deeper/);
});

test('a tool with the shortest or longest name and description is accepted', async () => {
  const tools = [
    tool({ name: 'a', description: 'x'.repeat(10) }),
    tool({ name: `a${'_9'.repeat(31)}b`, description: '💡'.repeat(500) }),
  ];

  const { status } = await harness.call('POST', '/v1/conversations', { body: { model: 'openai/test', tools } });

  expect(status).toBe(201);
});

test('a turn offers a server-side tool and a defined tool together', async () => {
  await harness.startTurn({ input: 'offered', tools: ['weather_lookup', tool({ parameters: object() })] });
  await harness.workUntilIdle();

  const asked = harness.modelRequests.find(({ body }) => body.messages.some(({ content }) => content === 'offered'));
  expect(asked?.body.tools?.map(({ function: { name, description } }) => [name, description])).toEqual([
    ['weather_lookup', 'Looks up the weather of a city'],
    ['find_city', 'Finds a city by its name'],
  ]);
});

test('a tool without execution is server-side if a server-side tool has its name', async () => {
  const lookup = {
    ...tool({ name: 'weather_lookup' }),
    parameters: object({ properties: { city: { type: 'string' } }, required: ['city'] }),
  };

  const { id } = await harness.startTurn({ input: 'Look it up', tools: [lookup] });
  await harness.workUntilIdle();

  const turn = await harness.findTurn(id);
  expect(turn.rounds[0]?.results[0]).toMatchObject({ status: 'success' });
});

test('PAWL_TOOL_RULES=provider accepts tools that providers accept', async () => {
  await using relaxed = await createHarness({ env: { PAWL_TOOL_RULES: 'provider' } });
  const post = (more: Record<string, unknown>) =>
    relaxed.call('POST', '/v1/turns', {
      body: { model: 'openai/test', input: 'Hi', tools: [tool(more)] },
    });

  const taken = await Promise.all([
    post({ name: 'Find-City' }),
    post({ description: undefined }),
    post({ description: '' }),
    post({ description: 'x'.repeat(2000) }),
  ]);
  const refused = await post({ name: 'find city' });

  expect(taken.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  expect(refused).toMatchObject({ status: 400, body: { error: { param: 'tools[0].name' } } });
});

test('the server-side tools and the providers are listed', async () => {
  const tools = await harness.call<{ data: { name: string }[] }>('GET', '/v1/tools');
  const models = await harness.call<{ data: { name: string }[] }>('GET', '/v1/models');

  expect(tools.body).toMatchObject({ object: 'list', has_more: false, next_cursor: null });
  expect(tools.body.data.map(({ name }) => name)).toEqual(['weather_lookup', 'send_postcard', 'note_visit']);
  expect(tools.body.data[0]).toMatchObject({ type: 'function', effect: 'none', execution: { kind: 'server' } });
  expect(models.body).toMatchObject({ object: 'list', has_more: false, next_cursor: null });
  expect(models.body.data.map(({ name }) => name)).toEqual(['openai', 'sim', 'sim-responses']);
});

test('tool schemas that compile too long are refused without blocking other requests', async () => {
  const parameters = (n: number) =>
    object({
      properties: { a: { oneOf: Array.from({ length: 2500 }, (_, index) => ({ pattern: `${n}y${index}` })) } },
    });
  const tools = Array.from({ length: 15 }, (_, n) => tool({ name: `find_${n}`, parameters: parameters(n) }));
  const usedMs = watchUsedCpu();

  const refusing = refusalOf(harness, '/v1/turns', { model: 'openai/test', input: 'Hi', tools });
  const beside = await harness.call('GET', '/healthz');

  expect(beside.status).toBe(200);
  expect(await refusing).toMatch(/^400 invalid_tool: tools\[0\]\.parameters/);
  expect(usedMs()).toBeLessThan(6_000);
});
