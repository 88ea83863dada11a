import { expect, test } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { openExternalMcpServer } from '#test/harness/servers/external-mcp-server.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openListingServer } from '../../tools/mcp/listing-server.ts';
import { closedPort } from '../../tools/servers.ts';

type ToolList = {
  data: { name: string; remote_name: string | null }[];
  unavailable: { server: string; reason: string }[];
  left_out: { server: string; name: string; reason: string }[];
};

const withMcp = (servers: Record<string, object>) => ({ env: { PAWL_MCP: JSON.stringify(servers) } });
const list = async (harness: Harness) => (await harness.call<ToolList>('GET', '/v1/tools')).body;
const plain = (name: string, more = {}) => ({ name, inputSchema: { type: 'object', properties: {} }, ...more });

test('a list of tools names unavailable MCP servers without addresses and secrets', async () => {
  await using deaf = await openExternalServer(() => null);
  await using refusing = await openExternalServer(() => ({ status: 404, body: 'sk-of-theirs' }));
  const headers = { authorization: 'Bearer sk-of-ours' };
  const gone = { url: `http://127.0.0.1:${await closedPort()}/key-0123456789abcdef/mcp?key=sk-of-ours`, headers };
  const servers = { gone, deaf: { url: deaf.url, headers }, refusing: { url: refusing.url, headers } };
  await using harness = await createHarness(withMcp(servers));

  await waitUntil(async () => expect((await list(harness)).unavailable[2]?.reason).toContain('404'));
  const { data, unavailable, left_out } = await list(harness);

  expect(data.map(({ name, remote_name }) => [name, remote_name])).toEqual([
    ['weather_lookup', null],
    ['send_postcard', null],
    ['note_visit', null],
  ]);
  expect(unavailable).toEqual([
    { server: 'gone', reason: 'The MCP server "gone" cannot be reached now. Try again in a moment.' },
    { server: 'deaf', reason: expect.stringMatching(/^The MCP server "deaf" .+\. Try again in a moment\.$/) },
    {
      server: 'refusing',
      reason: 'The MCP server "refusing" answers with status 404. Ask the operator to check PAWL_MCP.',
    },
  ]);
  expect(left_out).toEqual([]);
});

test('a list of tools names an MCP server until the server has listed its tools', async () => {
  const gate = Promise.withResolvers<void>();
  const listing = { tools: [plain('look_up')], results: {} };
  await using server = await openListingServer('sessions', listing, gate.promise);
  await using harness = await createHarness(withMcp({ slow: server.config }));

  const before = await list(harness);
  gate.resolve();
  await waitUntil(async () => expect((await list(harness)).data).toHaveLength(4));
  const after = await list(harness);

  expect(before.unavailable).toEqual([
    { server: 'slow', reason: 'The MCP server "slow" has not answered yet. Try again in a moment.' },
  ]);
  expect(after.unavailable).toEqual([]);
  expect(after.data.at(-1)).toMatchObject({ name: 'slow__look_up', remote_name: 'look_up' });
});

test('a list of tools has both names of an MCP tool, and turns accept the offered name', async () => {
  await using server = await openExternalMcpServer();
  await using harness = await createHarness(withMcp({ cities: { url: server.url } }));
  await waitUntil(async () => expect((await list(harness)).data).toHaveLength(9));

  const { data } = await list(harness);
  const odd = data.find(({ remote_name }) => remote_name === 'odd.name');
  const { id } = await harness.startTurn({ input: 'Hi', tools: [odd?.name] });

  expect(odd?.name).toMatch(/^cities__odd_name_[0-9a-f]{8}$/);
  expect(data.find(({ remote_name }) => remote_name === 'look_up')?.name).toBe('cities__look_up');
  expect((await harness.findTurn(id)).status).toBe('queued');
});

test('a list of tools gives the reason to leave out a tool that runs only as a task', async () => {
  const tools = [plain('plain'), plain('long/task', { execution: { taskSupport: 'required' } })];
  await using server = await openListingServer('newest', { tools, results: {} });
  await using harness = await createHarness(withMcp({ tasks: server.config }));
  await waitUntil(async () => expect((await list(harness)).data).toHaveLength(4));

  const { left_out, unavailable } = await list(harness);

  expect(left_out).toEqual([
    { server: 'tasks', name: 'long/task', reason: 'Pawl does not support tasks. Let the tool run without a task.' },
  ]);
  expect(unavailable).toEqual([]);
});
