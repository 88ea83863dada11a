import { expect, test } from 'vitest';
import { readBody, refusalOf } from '../read-body.ts';

const search = { type: 'web_search', filters: null, search_context_size: 'low' };
const code = { type: 'code_interpreter', container: { type: 'auto' } };
const files = { type: 'file_search', vector_store_ids: ['vs_1'] };
const image = { type: 'image_generation', size: '1024x1024' };
const find = { type: 'function', name: 'find', parameters: {} };
const anthropic = { model: 'anthropic/claude-sonnet-4-5' };

test('hosted tools become tools of the provider, and are shown as they were sent', async () => {
  const tools = [search, find, code, files, image];

  const { config, ignoredTools } = await readBody({ tools });

  expect(config.hosted_tools).toEqual([
    { type: 'web_search', options: { search_context_size: 'low' } },
    { type: 'code_execution', options: { container: { type: 'auto' } } },
    { type: 'file_search', options: { vector_store_ids: ['vs_1'] } },
    { type: 'image_generation', options: { size: '1024x1024' } },
  ]);
  expect(config.tools.map(({ name }) => name)).toEqual(['find']);
  expect(config.response?.tools).toMatchObject(tools);
  expect(config.response?.tools[0]).toEqual(search);
  expect(ignoredTools).toEqual([]);
});

test.each(['web_search_preview', 'web_search_preview_2025_03_11', 'web_search_2025_08_26'])(
  'the version %s of a web search is the web search of the provider',
  async (type) => {
    const { config } = await readBody({ tools: [{ type }] });

    expect(config.hosted_tools).toEqual([{ type: 'web_search' }]);
  },
);

test('an automatic container is left out on wires that do not have containers', async () => {
  const { config } = await readBody({ ...anthropic, tools: [code] });
  const own = await readBody({ ...anthropic, tools: [{ ...code, container: 'cntr_1' }] });

  expect(config.hosted_tools).toEqual([{ type: 'code_execution' }]);
  expect(own.config.hosted_tools).toEqual([{ type: 'code_execution', options: { container: 'cntr_1' } }]);
});

test('a hosted tool that the wire lacks is refused, or ignored by a setting', async () => {
  const body = { ...anthropic, tools: [search, files, find] };

  const refused = await refusalOf(body);
  const { config, ignoredTools } = await readBody(body, { settings: { unsupportedTools: 'ignore' } });
  const chat = await refusalOf({ tools: [search] }, { env: { OPENAI_API_KEY: 'a', OPENAI_BASE_URL: 'http://a.b/v1' } });

  expect(refused).toMatchObject({ code: 'unsupported_tool', param: 'tools[1].type' });
  expect(refused.message).toContain('"file_search" are not supported by anthropic.');
  expect(ignoredTools).toEqual(['file_search']);
  expect(config.hosted_tools?.map(({ type }) => type)).toEqual(['web_search']);
  expect(config.response?.tools.map(({ type }) => type)).toEqual(['web_search', 'function']);
  expect(chat).toMatchObject({ code: 'unsupported_tool', param: 'tools[0].type' });
});

test.each([
  ['invalid_tool', 'tools[2].type', { tools: [search, find, { type: 'web_search_preview' }] }],
  ['unsupported_tool', 'tools[0].type', { tools: [{ type: 'web_search_x' }] }],
  ['unsupported_tool', 'tools[0].type', { tools: [{ type: 'web_fetch' }] }],
  ['unsupported_tool', 'tools[0].tools[0].type', { tools: [{ type: 'namespace', name: 'a', tools: [search] }] }],
  ['unsupported_tool', 'tool_choice.type', { tools: [search], tool_choice: { type: 'web_search' } }],
  ['unsupported_tool', 'tool_choice.type', { tools: [find], tool_choice: { type: 'code_interpreter' } }],
  ['invalid_tool', 'tools[1].type', { tools: [find, search], pawl: { allowed_capabilities: ['shell'] } }],
  ['unsupported_parameter', 'pawl.tool_mode', { tools: [search], pawl: { tool_mode: 'emulated' } }],
])('a hosted tool is refused with %s at %s', async (code, param, body) => {
  expect(await refusalOf(body)).toMatchObject({ status: 400, code, param });
});

test('the refusal of a capability names the tool at its place in the request', async () => {
  const { message } = await refusalOf({ tools: [find, search], pawl: { allowed_capabilities: ['shell'] } });

  expect(message).toMatch(/^tools\[1\]: web_search needs the capability "network"\./);
});

test('allowed_tools offers only the hosted tools that it names', async () => {
  const allowed = (...tools: object[]) => ({ type: 'allowed_tools', mode: 'auto', tools });
  const hostedOf = async (tool_choice: object) => {
    const { config } = await readBody({ tools: [search, code, find], tool_choice });
    return [...config.tools.map(({ name }) => name), ...(config.hosted_tools ?? []).map(({ type }) => type)];
  };

  expect(await hostedOf(allowed({ type: 'web_search_preview' }))).toEqual(['web_search']);
  expect(await hostedOf(allowed({ type: 'function', name: 'find' }))).toEqual(['find']);
  expect(await hostedOf({ type: 'function', name: 'find' })).toEqual(['find', 'web_search', 'code_execution']);
  const missing = allowed({ type: 'file_search' });
  expect(await refusalOf({ tools: [search], tool_choice: missing })).toMatchObject({
    ...{ code: 'invalid_value', param: 'tool_choice.tools[0].type' },
  });
});

test('a required choice is accepted with a hosted tool alone', async () => {
  const { config } = await readBody({ tools: [search], tool_choice: 'required' });

  expect(config).toMatchObject({ tool_choice: 'required', tools: [], hosted_tools: [{ type: 'web_search' }] });
});

test.each([
  'web_search_call.action.sources',
  'web_search_call.results',
  'code_interpreter_call.outputs',
  'file_search_call.results',
])('include accepts %s', async (value) => {
  const { config } = await readBody({ include: [value] });

  expect(config.response?.include).toEqual([value]);
});
