import { expect, test } from 'vitest';
import { isRecord } from '#core/json.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openScriptedMcpServer, refuse, say } from './scripted-server.ts';
import { callMcpTool, untilSeen, useMcpServers } from './use-mcp-servers.ts';

const plain = { name: 'plain', inputSchema: { type: 'object', properties: { q: { type: 'string' } } } };

async function openServer(tools: unknown[], isNewest = false) {
  const called: (string | undefined)[] = [];
  const page = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools };
  const server = await openScriptedMcpServer({
    ...{ hasSessions: false, isNewest, onList: () => page },
    onCall: ({ response, message }) => {
      if (!tools.some((tool) => isNamed(tool, message.params?.name))) return refuse(response, message.id, -32_602);
      called.push(message.params?.name);
      return say(response, message.id, { resultType: 'complete', content: [{ type: 'text', text: 'called' }] });
    },
  });
  return { ...server, called };
}

const dotted = 'scripted__dotted_name_211bfad3';
function isNamed(tool: unknown, name: unknown): boolean {
  return isRecord(tool) && tool.name === name;
}

const object = { type: 'object', properties: {} };

test.each([
  ['without a schema', {}, { type: 'object' }],
  ['with a schema that is null', { inputSchema: null }, { type: 'object' }],
  ['with an empty schema', { inputSchema: {} }, { type: 'object' }],
  ['with required names that are null', { inputSchema: { ...object, required: null } }, object],
  ['with properties that are null', { inputSchema: { type: 'object', properties: null } }, { type: 'object' }],
  ['with properties that are a list', { inputSchema: { type: 'object', properties: [] } }, { type: 'object' }],
  ['with alternatives and no type', { inputSchema: { anyOf: [{ required: ['a'] }] } }, { type: 'object', anyOf: [{}] }],
  ['with a required name without a property', { inputSchema: { ...object, required: ['z'] } }, object],
  ['with a schema as JSON in a text', { inputSchema: JSON.stringify(object) }, object],
  ['with a schema that is a text', { inputSchema: 'none' }, { type: 'object' }],
  ['with a schema in input_schema', { input_schema: object }, object],
  ['with a schema in parameters', { parameters: object }, object],
  ['with odd fields', { inputSchema: object, annotations: 'none', title: 7, icons: 1, _meta: null }, object],
  ['with hints that are texts', { inputSchema: object, annotations: { readOnlyHint: 'true' } }, object],
] as const)('a tool %s is corrected and offered beside other tools', async (_, odd, parameters) => {
  await using server = await openServer([{ name: 'odd', ...odd }, plain]);
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await untilSeen(servers, 'scripted__odd');
  const { tools } = await servers.list();
  const answer = await callMcpTool(servers, 'scripted__odd');

  expect(tools.map(({ name }) => name)).toEqual(['scripted__odd', 'scripted__plain']);
  expect(tools[0]).toMatchObject({ effect: 'at_most_once', parameters });
  expect(Object.keys(tools[0]!.parameters).sort()).toEqual(Object.keys(parameters).sort());
  expect(answer.content).toBe('called');
  expect(servers.warnings).toEqual([]);
});

test.each([true, false])('only tools that cannot be corrected are left out (newest protocol: %s)', async (isNewest) => {
  const nameless = { inputSchema: object };
  const large = { name: 'large', inputSchema: { ...object, $comment: 'x'.repeat(70_000) } };
  const endless = { name: 'endless', inputSchema: { ...object, $ref: '#' } };
  const unnamed = { ...plain, name: 7 };
  const long = { ...plain, name: 'x'.repeat(501) };
  await using server = await openServer([nameless, null, 'tool', unnamed, large, plain, endless, long], isNewest);
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await untilSeen(servers, 'scripted__plain');
  const { tools } = await servers.list();
  const found = await servers.find('scripted__large');

  expect(tools.map(({ name }) => name)).toEqual(['scripted__plain']);
  expect(servers.warnings.map(([about]) => about.tool)).toEqual([
    ...['scripted__tool 1', 'scripted__tool 2', 'scripted__tool 3', 'scripted__tool 4'],
    ...[expect.stringMatching(/^scripted__x{10,}…$/), 'scripted__large', 'scripted__endless'],
  ]);
  expect(found).toMatchObject({ kind: 'left-out', why: expect.stringContaining('64 KiB') });
});

test('tools with invalid names are called by the names of their server', async () => {
  const names = ['dotted.name', 'slash/name', 'a name', 'x'.repeat(100), '日本', 'dotted_name', 'dotted/name'];
  await using server = await openServer([...names.map((name) => ({ ...plain, name })), plain]);
  await using servers = useMcpServers({ scripted: { url: server.url } });
  await untilSeen(servers, 'scripted__plain');

  const { tools } = await servers.list();
  for (const { name } of tools) await callMcpTool(servers, name);

  expect(tools.map(({ name }) => name).every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['scripted__dotted_name', dotted]));
  expect(server.called.toSorted()).toEqual([...names, 'plain'].toSorted());
  expect(servers.warnings).toEqual([]);
});

test('a tool keeps its offered name when its server restarts with other tools', async () => {
  const listed = [{ ...plain, name: 'dotted.name' }];
  await using server = await openServer(listed);
  await using before = useMcpServers({ scripted: { url: server.url } });
  await untilSeen(before, dotted);
  listed.splice(0, 1, ...['dotted_name', 'dotted/name', 'dotted.name'].map((name) => ({ ...plain, name })));
  await using after = useMcpServers({ scripted: { url: server.url } });
  await untilSeen(after, dotted);

  await callMcpTool(after, dotted);
  await callMcpTool(after, 'scripted__dotted_name');

  expect(server.called).toEqual(['dotted.name', 'dotted_name']);
});

test('a turn with a stored remote name calls the tool without a list', async () => {
  await using server = await openServer([{ ...plain, name: 'dotted.name' }]);
  await using listing = useMcpServers({ scripted: { url: server.url } });
  await untilSeen(listing, dotted);
  const found = await listing.find(dotted);
  await using servers = useMcpServers({ scripted: { url: server.url } });

  const kept = found.kind === 'found' ? found.tool.remoteName : undefined;
  await callMcpTool(servers, 'scripted__renamed', { ...(kept && { remoteName: kept }) });

  expect(server.called).toEqual(['dotted.name']);
});

test('a definition without a known list is called by the name in the list', async () => {
  await using server = await openServer([{ ...plain, name: 'dotted.name' }]);
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await callMcpTool(servers, dotted);

  expect(server.called).toEqual(['dotted.name']);
});

test('a tool that runs only as a task is left out', async () => {
  const task = (name: string, taskSupport: unknown) => ({ ...plain, name, execution: { taskSupport } });
  const tools = [task('demands', 'required'), task('allows', 'optional'), task('refuses', 'forbidden'), task('odd', 7)];
  await using server = await openServer(tools);
  await using servers = useMcpServers({ scripted: { url: server.url } });
  await untilSeen(servers, 'scripted__allows');

  const listed = await servers.list();
  const found = await servers.find('scripted__demands');

  const why = 'Pawl does not support tasks. Let the tool run without a task.';
  expect(listed.tools.map(({ name }) => name)).toEqual(['allows', 'odd', 'refuses'].map((name) => `scripted__${name}`));
  expect(listed.leftOut).toMatchObject([{ server: 'scripted', remoteName: 'demands', why }]);
  expect(found).toEqual({ kind: 'left-out', why });
  expect(servers.warnings).toEqual([
    [{ mcp_server: 'scripted', tool: 'scripted__demands' }, `a tool was left out: ${why}`],
  ]);
});

test('a tool list of null is empty', async () => {
  await using server = await openScriptedMcpServer({
    ...{ hasSessions: false, onCall: () => {}, onList: () => ({ tools: null, nextCursor: null }) },
  });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await waitUntil(async () => expect((await servers.toolsOf('scripted')).kind).toBe('found'));

  expect((await servers.list()).tools).toEqual([]);
});
