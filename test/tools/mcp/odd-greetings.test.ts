import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { GREETING_VERSIONS } from '#core/tools/mcp/tidy/tidy-message.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { greetingOf, openScriptedMcpServer } from './scripted-server.ts';
import { useMcpServers } from './use-mcp-servers.ts';

const plain = { name: 'plain', inputSchema: { type: 'object' } };
const other = { ...plain, name: 'other' };

type Server = Partial<Parameters<typeof openScriptedMcpServer>[0]>;

async function useList(odd: Server) {
  const onList = () => ({ tools: [plain] });
  await using server = await openScriptedMcpServer({ ...{ hasSessions: false, onCall: () => {}, onList }, ...odd });
  await using servers = useMcpServers({ scripted: { url: server.url } });
  await waitUntil(async () => {
    expect((await servers.toolsOf('scripted')).kind).toBe('found');
  });
  return { names: (await servers.list()).tools.map(({ name }) => name), warnings: servers.warnings };
}

test.each<[string, object]>([
  ...[[], [plain], true, null].map((tools): [string, object] => [
    `tools that are ${JSON.stringify(tools)}`,
    { capabilities: { tools } },
  ]),
  ['no capabilities', { capabilities: undefined }],
  ['capabilities that are null', { capabilities: null }],
  ['capabilities that are a list', { capabilities: [] }],
  ['capabilities without tools', { capabilities: {} }],
  ['other capabilities that are odd', { capabilities: { tools: {}, resources: [], logging: null } }],
  ['no name', { serverInfo: undefined }],
  ['a version that is a number', { serverInfo: { name: 'scripted', version: 1, icons: null } }],
  ['no version', { serverInfo: { name: 'scripted' } }],
  ['no protocol version', { protocolVersion: undefined }],
  ['an unknown protocol version', { protocolVersion: '1.0' }],
  ['odd instructions', { instructions: [] }],
])('a server that greets with %s lists its tools', async (_, fields) => {
  expect(await useList({ greeting: greetingOf(fields) })).toEqual({ names: ['scripted__plain'], warnings: [] });
});

test.each([400, 404, 500])('a server that answers the end of the greeting with %d lists its tools', async (status) => {
  const { names } = await useList({ refusals: { 'notifications/initialized': status } });

  expect(names).toEqual(['scripted__plain']);
});

test.each([403, 500, 501, 502])(
  'a server that answers new clients with %d is called as an old server',
  async (status) => {
    const { names } = await useList({ refusals: { 'server/discover': status } });

    expect(names).toEqual(['scripted__plain']);
  },
);

test('a server without the tools capability that refuses the list has no tools', async () => {
  await using server = await openScriptedMcpServer({
    ...{ hasSessions: false, greeting: greetingOf({ capabilities: {} }), onCall: () => {} },
  });
  await using servers = useMcpServers({ scripted: { url: server.url } });

  await waitUntil(async () => {
    expect((await servers.toolsOf('scripted')).kind).toBe('found');
  });

  expect((await servers.list()).tools).toEqual([]);
  expect(servers.warnings).toEqual([]);
});

test('a tool list may be the whole result, have odd meta or a numeric cursor', async () => {
  const bare = await useList({ onList: () => [plain] });
  const pages = await useList({
    onList: ({ params }) =>
      params?.cursor === '2' ? { tools: [other] } : { tools: [plain], nextCursor: 2, _meta: [] },
  });

  expect(bare.names).toEqual(['scripted__plain']);
  expect(pages.names).toEqual(['scripted__other', 'scripted__plain']);
});

test('a tool list ends at the first repeated page, with any cursor', async () => {
  let asked = 0;
  const onList = () => {
    asked += 1;
    return { tools: [plain], nextCursor: `page ${asked}` };
  };

  expect(await useList({ onList })).toEqual({ names: ['scripted__plain'], warnings: [] });
  expect(asked).toBe(2);
});

test('the protocol versions with a greeting are the versions of the SDK', () => {
  expect(GREETING_VERSIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
});
