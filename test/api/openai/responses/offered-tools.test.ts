import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#core/tools/define/tool.ts';
import { readMcpServers } from '#core/tools/mcp/config.ts';
import { openMcpServers } from '#core/tools/mcp/servers.ts';
import { openExternalMcpServer } from '#test/harness/servers/external-mcp-server.ts';
import strictTools from '#test/harness/strict-tools.ts';
import plainTools from '#test/harness/tools.ts';
import { closedPort } from '#test/tools/servers.ts';
import { readBody, refusalOf } from './read-body.ts';

const pawl = { type: 'mcp', server_label: 'pawl' };
const cities = { type: 'mcp', server_label: 'cities', require_approval: 'never' };
const oddName = 'odd_name_bf2eb8ac';
const all = ['book', 'look_up', 'measure', oddName, 'visit', 'wait'];

/** Opens an operator with MCP servers and server-side tools. One tool needs an approval. */
async function openOperator() {
  const server = await openExternalMcpServer();
  const gone = `http://127.0.0.1:${await closedPort()}/mcp`;
  const config = readMcpServers(JSON.stringify({ cities: { url: server.url }, gone: { url: gone } }));
  const mcp = openMcpServers(config, { warn: () => {} });
  return {
    ...{ mcp, tools: [...plainTools, ...strictTools] },
    async [Symbol.asyncDispose]() {
      await mcp.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function offeredBy(body: object, operator: Parameters<typeof readBody>[1]) {
  const { config } = await readBody(body, operator);
  return config.tools.map(({ name, approval }) => (approval === 'always' ? `${name}!` : name));
}

test('a label offers all its tools as the operator defines them', async () => {
  await using operator = await openOperator();

  const { config } = await readBody({ tools: [pawl, cities] }, operator);

  expect(config.tools.map(({ name }) => name)).toEqual([
    ...operator.tools.map(({ definition }) => definition.name),
    ...all.map((name) => `cities__${name}`),
  ]);
  expect(config.tools).toContainEqual(plainTools[0]?.definition);
  expect(config.tools.at(-5)).toMatchObject({ effect: 'none', execution: { kind: 'mcp', server: 'cities' } });
});

test.each([
  [
    ['visit', 'book'],
    ['cities__book', 'cities__visit'],
  ],
  [{ tool_names: ['book'] }, ['cities__book']],
  [{ read_only: true }, ['cities__look_up', 'cities__measure', `cities__${oddName}`]],
  [{ read_only: false, tool_names: ['measure', 'visit'] }, ['cities__visit']],
  [[], []],
])('allowed_tools %j leaves %j', async (allowed_tools, left) => {
  await using operator = await openOperator();

  expect(await offeredBy({ tools: [{ ...cities, allowed_tools }] }, operator)).toEqual(left);
});

test.each([
  ['always', ['weather_lookup!', 'send_money!', 'cities__book!', 'cities__look_up!']],
  ['never', ['weather_lookup', 'send_money!', 'cities__book', 'cities__look_up']],
  [null, ['weather_lookup', 'send_money!', 'cities__book!', 'cities__look_up!']],
  [{}, ['weather_lookup', 'send_money!', 'cities__book!', 'cities__look_up!']],
  [{ never: { read_only: true } }, ['weather_lookup', 'send_money!', 'cities__book!', 'cities__look_up']],
  [{ always: { read_only: true } }, ['weather_lookup!', 'send_money!', 'cities__book!', 'cities__look_up!']],
  [
    { always: { read_only: true }, never: { read_only: true } },
    ['weather_lookup!', 'send_money!', 'cities__book!', 'cities__look_up!'],
  ],
])('require_approval %j adds approvals, and removes none: %j', async (require_approval, left) => {
  await using operator = await openOperator();
  const tools = [
    { ...pawl, require_approval, allowed_tools: ['weather_lookup', 'send_money'] },
    { ...cities, require_approval, allowed_tools: ['look_up', 'book'] },
  ];

  expect(await offeredBy({ tools }, operator)).toEqual(left);
});

test('a response shows a labelled tool as it was sent, with defaults for absent fields', async () => {
  await using operator = await openOperator();
  const sent = {
    ...{ ...cities, server_description: 'All about cities', allowed_tools: { tool_names: ['book'] } },
    require_approval: { never: { tool_names: ['book', 'visit'] } },
  };
  const none = {
    server_description: null,
    allowed_tools: null,
    allowed_callers: null,
    defer_loading: false,
    headers: null,
  };

  const { config } = await readBody(
    { tools: [pawl, sent, { type: 'mcp', server_label: 'cities', allowed_tools: ['wait'], server_url: '' }] },
    operator,
  );

  expect(config.response?.tools).toEqual([
    { ...none, ...pawl, require_approval: null },
    { ...none, ...sent },
    { ...none, ...cities, allowed_tools: ['wait'], require_approval: 'always' },
  ]);
});

test('a tool_choice selects one tool of a label, or limits the offer to a label', async () => {
  await using operator = await openOperator();
  const tools = [{ type: 'function', name: 'look_up' }, { ...pawl, allowed_tools: ['weather_lookup'] }, cities];
  const read = async (tool_choice: object) => {
    const { config } = await readBody({ tools, tool_choice }, operator);
    expect(config.response).toMatchObject({ tool_choice, tools: [{}, {}, {}] });
    return [config.tool_choice, config.tools.map(({ name }) => name)];
  };
  const some = (...those: object[]) => read({ type: 'allowed_tools', mode: 'auto', tools: those });

  expect(await read({ type: 'mcp', server_label: 'cities', name: 'look_up' })).toEqual([
    { type: 'specific', name: 'cities__look_up' },
    ['look_up', 'weather_lookup', ...all.map((name) => `cities__${name}`)],
  ]);
  expect(await read({ type: 'mcp', server_label: 'pawl' })).toEqual(['required', ['weather_lookup']]);
  expect(await some({ type: 'mcp', server_label: 'pawl' }, { type: 'function', name: 'look_up' })).toEqual([
    'auto',
    ['look_up', 'weather_lookup'],
  ]);
  expect(await some({ type: 'mcp', server_label: 'cities', name: 'book' })).toEqual(['auto', ['cities__book']]);
});

test.each<[code: string, param: string, body: object]>([
  ['unknown_mcp_server', 'tools[1].server_label', { tools: [pawl, { ...cities, server_label: 'towns' }] }],
  ['unknown_mcp_server', 'tools[0].server_label', { tools: [{ ...cities, server_label: 'http' }] }],
  ['mcp_server_unavailable', 'tools[0]', { tools: [{ ...cities, server_label: 'gone' }] }],
  ['unknown_tool', 'tools[0].allowed_tools[1]', { tools: [{ ...cities, allowed_tools: ['book', 'cities__book'] }] }],
  [
    'unknown_tool',
    'tools[0].allowed_tools.tool_names[0]',
    { tools: [{ ...pawl, allowed_tools: { tool_names: ['x'] } }] },
  ],
  [
    'unknown_tool',
    'tools[0].require_approval.always.tool_names[0]',
    { tools: [{ ...cities, require_approval: { always: { tool_names: ['bok'] } } }] },
  ],
  ['invalid_value', 'tools[0].allowed_tools', { tools: [{ ...cities, allowed_tools: {} }] }],
  ['invalid_value', 'tools[0].require_approval', { tools: [{ ...cities, require_approval: 'sometimes' }] }],
  ['missing_required_parameter', 'tools[0].server_label', { tools: [{ type: 'mcp' }] }],
  ['unknown_parameter', 'tools[0].name', { tools: [{ ...pawl, name: 'weather_lookup' }] }],
  ['invalid_value', 'tools[0].defer_loading', { tools: [{ ...pawl, defer_loading: true }] }],
  ['invalid_tool', 'tools[1]', { tools: [{ type: 'function', name: 'note_visit' }, pawl] }],
  ['invalid_tool', 'tools[2]', { tools: [{ ...cities, allowed_tools: ['book'] }, pawl, cities] }],
  ...['server_url', 'connector_id', 'tunnel_id', 'headers', 'authorization'].map((field): [string, string, object] => [
    ...(['mcp_server_not_configured', `tools[0].${field}`] as const),
    { tools: [{ ...cities, [field]: field === 'headers' ? { 'x-key': 'k' } : 'x' }] },
  ]),
  [
    'invalid_value',
    'tool_choice.server_label',
    { tools: [pawl], tool_choice: { type: 'mcp', server_label: 'cities' } },
  ],
  [
    'invalid_value',
    'tool_choice.name',
    { tools: [pawl], tool_choice: { type: 'mcp', server_label: 'pawl', name: 'look_up' } },
  ],
  [
    'invalid_value',
    'tool_choice.tools[0].name',
    {
      tools: [pawl],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'weather_lookup' }] },
    },
  ],
  ['missing_required_parameter', 'tool_choice.server_label', { tools: [pawl], tool_choice: { type: 'mcp' } }],
])('a labelled tool is refused with %s at %s', async (code, param, body) => {
  await using operator = await openOperator();

  expect(await refusalOf(body, operator)).toMatchObject({ code, param });
});

test('the refusal of a label names all labels, and the refusal of a tool its tools', async () => {
  await using operator = await openOperator();
  const messageOf = async (tool: object) => (await refusalOf({ tools: [{ ...cities, ...tool }] }, operator)).message;

  expect(await messageOf({ server_label: 'towns' })).toContain('Use one of: pawl, cities, gone.');
  expect(await messageOf({ allowed_tools: ['look-up'] })).toContain(
    '"look-up" is not a tool of this label. Use one of: book, look_up, measure, odd.name, visit, wait.',
  );
  expect((await refusalOf({ tools: [pawl] }, { tools: twoHundred() })).message).toContain(
    'The request offers 200 tools',
  );
});

test('an MCP label does not offer a server-side tool of the same name', async () => {
  await using operator = await openOperator();
  const tools = [{ ...cities, allowed_tools: ['book'] }];

  const { config } = await readBody({ tools }, { ...operator, tools: twoHundred('cities__book') });

  expect(config.tools).toMatchObject([{ name: 'cities__book', execution: { kind: 'mcp', server: 'cities' } }]);
});

function twoHundred(first = 'tool_0') {
  return Array.from({ length: 200 }, (_, index) =>
    defineTool({
      ...{ name: index === 0 ? first : `tool_${index}`, description: 'Does nothing at all', input: z.object({}) },
      execute: () => null,
    }),
  );
}
