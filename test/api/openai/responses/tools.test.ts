import { expect, test } from 'vitest';
import { readBody, refusalOf } from './read-body.ts';

const locate = { type: 'function', name: 'Locate-User', parameters: { type: 'object', required: ['missing'] } };
const post = {
  ...{ type: 'function', name: 'post', effect: 'idempotent', parameters: { type: 'object', properties: {} } },
  execution: { kind: 'http', url: 'https://example.com/post' },
};

test('a function is handed over to the caller with its schema and `strict` unchanged', async () => {
  const { config } = await readBody({ tools: [{ ...locate, strict: true }] });

  expect(config.tools).toMatchObject([
    { name: 'Locate-User', parameters: locate.parameters, strict: true, execution: null, handOver: { custom: false } },
  ]);
  expect(config.response?.tools).toEqual([{ ...locate, description: null, strict: true }]);
});

test('a function with an execution runs in Pawl, by the rules of turns', async () => {
  const { config } = await readBody({ tools: [post] });

  expect(config.tools[0]).toMatchObject({ effect: 'idempotent', execution: { kind: 'http' } });
  expect(config.tools[0]).not.toHaveProperty('handOver');
  expect(config.response?.tools[0]).toMatchObject({ ...post, description: null, strict: null });
});

test('a custom tool is offered as a function with one text and its grammar', async () => {
  const format = { type: 'grammar', syntax: 'regex', definition: '[a-z]+' };
  const { config } = await readBody({ tools: [{ type: 'custom', name: 'patch', description: 'Patches.', format }] });

  expect(config.tools[0]).toMatchObject({ handOver: { custom: true }, parameters: { required: ['input'] } });
  expect(config.tools[0]?.description).toMatch(/^Patches\..*regex grammar:\n\[a-z\]\+$/s);
  expect(config.response?.tools).toEqual([{ type: 'custom', name: 'patch', description: 'Patches.', format }]);
});

const crm = {
  ...{ type: 'namespace', name: 'crm', description: 'Customers.' },
  tools: [
    { type: 'function', name: 'find', description: 'Finds one.', parameters: null, strict: null, defer_loading: true },
    { type: 'custom', name: 'note', description: null, format: { type: 'text' } },
  ],
};

test('tools of a namespace keep their names and are shown in the namespace', async () => {
  const { config } = await readBody({ tools: [crm, locate], tool_choice: { type: 'function', name: 'find' } });

  expect(config.tools).toMatchObject([
    { name: 'find', description: 'Finds one.', handOver: { custom: false, namespace: 'crm' } },
    { name: 'note', handOver: { custom: true, namespace: 'crm' } },
    { name: 'Locate-User', handOver: { custom: false } },
  ]);
  expect(config.tool_choice).toEqual({ type: 'specific', name: 'find' });
  const [find, note] = crm.tools;
  const { defer_loading: _, ...shown } = find!;
  expect(config.response?.tools[0]).toEqual({ ...crm, tools: [shown, note] });
});

test('a namespace tool with a duplicate name is offered with its namespace as a prefix', async () => {
  const tool = (name: string) => ({ type: 'function', name });
  const space = (name: string) => ({ type: 'namespace', name, tools: [tool('find')] });

  const { config } = await readBody({ tools: [space('crm'), tool('list'), space('erp')] });
  const renamed = await readBody({ tools: [space('crm'), tool('find')] });

  expect(config.tools.map(({ name }) => name)).toEqual(['find', 'list', 'erp__find']);
  expect(config.tools[2]?.handOver).toEqual({ custom: false, namespace: 'erp', name: 'find' });
  expect(renamed.config.tools.map(({ name }) => name)).toEqual(['crm__find', 'find']);
});

test('unsupported tools of a namespace are dropped if the operator allows it', async () => {
  const mixed = { ...crm, tools: [...crm.tools, { type: 'web_search' }] };

  const { config, ignoredTools } = await readBody({ tools: [mixed] }, { settings: { unsupportedTools: 'ignore' } });

  expect(ignoredTools).toEqual(['web_search']);
  expect(config.tools.map(({ name }) => name)).toEqual(['find', 'note']);
});

test.each([
  ['unsupported_tool', 'tools[0].tools[2].type', [{ ...crm, tools: [...crm.tools, { type: 'namespace' }] }]],
  ['unknown_parameter', 'tools[0].tools[0].execution', [{ ...crm, tools: [{ ...post }] }]],
  ['invalid_tool', 'tools[1].tools[0].name', [locate, { ...crm, tools: [{ type: 'function', name: 'a b' }] }]],
  ['missing_required_parameter', 'tools[0].tools', [{ type: 'namespace', name: 'crm' }]],
  ['unsupported_tool', 'tools[1].type', [locate, { type: 'computer_use_preview' }]],
  ['mcp_server_not_configured', 'tools[0].server_url', [{ type: 'mcp', server_label: 'a', server_url: 'https://a.b' }]],
  ['invalid_tool', 'tools[0].name', [{ type: 'function', name: 'a b' }]],
  ['invalid_tool', 'tools[1].name', [locate, locate]],
  ['missing_required_parameter', 'tools[0].name', [{ type: 'function' }]],
  ['unknown_parameter', 'tools[0].function', [{ type: 'function', name: 'a', function: {} }]],
  ['invalid_value', 'tools[0].execution', [{ ...post, execution: { kind: 'server' } }]],
  ['egress_blocked', 'tools[0].execution.url', [{ ...post, execution: { kind: 'http', url: 'http://10.0.0.1' } }]],
])('a tool is refused with %s at %s', async (code, param, tools) => {
  expect(await refusalOf({ tools })).toMatchObject({ status: 400, code, param });
});

test('unsupported tools are dropped if the operator allows it and none is chosen', async () => {
  const ignoring = { settings: { unsupportedTools: 'ignore' as const } };
  const tools = [{ type: 'shell' }, locate, post];
  const { config, ignoredTools } = await readBody({ tools }, ignoring);

  expect(ignoredTools).toEqual(['shell']);
  expect(config.tools.map(({ name }) => name)).toEqual(['Locate-User', 'post']);
  expect(config.response?.tools).toHaveLength(2);
  const chosen = { tools, tool_choice: { type: 'shell' } };
  expect(await refusalOf(chosen, ignoring)).toMatchObject({ code: 'unsupported_tool', param: 'tool_choice.type' });
  const broken = [{ type: 'shell' }, { ...locate, name: '' }];
  expect(await refusalOf({ tools: broken }, ignoring)).toMatchObject({ param: 'tools[1].name' });
});

test('a tool_choice applies to the turn, and is shown as it was sent', async () => {
  const tools = [locate, post];
  const named = { type: 'function', name: 'post' };
  const one = await readBody({ tools, tool_choice: named });
  expect(one.config).toMatchObject({
    tool_choice: { type: 'specific', name: 'post' },
    response: { tool_choice: named },
  });

  const allowed = { type: 'allowed_tools', mode: 'required', tools: [named] };
  const some = await readBody({ tools, tool_choice: allowed });
  expect(some.config).toMatchObject({ tool_choice: 'required', tools: [{ name: 'post' }] });
  expect(some.config.response).toMatchObject({
    tool_choice: allowed,
    tools: [{ name: 'Locate-User' }, { name: 'post' }],
  });
});

test.each([
  ['invalid_value', 'tool_choice.name', { type: 'function', name: 'other' }],
  ['invalid_value', 'tool_choice.name', { type: 'custom', name: 'post' }],
  [
    'missing_required_parameter',
    'tool_choice.tools[0].name',
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function' }] },
  ],
  ['unsupported_tool', 'tool_choice.type', { type: 'web_search' }],
  ['unsupported_tool', 'tool_choice.tools[0].type', { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'x' }] }],
])('a tool_choice is refused with %s at %s', async (code, param, tool_choice) => {
  expect(await refusalOf({ tools: [post], tool_choice })).toMatchObject({ code, param });
});

test('the refusal of a tool_choice type names the supported types', async () => {
  const ofChoice = await refusalOf({ tools: [post], tool_choice: { type: 'x' } });
  const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'x' }] };
  const ofListed = await refusalOf({ tools: [post], tool_choice });

  expect(ofChoice.message).toContain('Use `function`, `custom`, `mcp` or `allowed_tools`.');
  expect(ofListed.message).toContain('Use `function`, `custom` or `mcp`.');
});
