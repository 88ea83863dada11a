import { expect, test } from 'vitest';
import { openFloodingServer } from './flooding-server.ts';
import { callMcpTool, useMcpServers } from './use-mcp-servers.ts';

test.each(['json', 'event'])(
  'of an endless answer (%s) 8 MiB are read, the caller hangs up and others are served',
  async (form) => {
    await using server = await openFloodingServer();
    await using servers = useMcpServers({ flood: { url: server.url } });

    const flooded = callMcpTool(servers, `flood__endless_${form}`, { effect: 'at_most_once' });
    const beside = callMcpTool(servers, 'flood__word');
    const results = [await flooded, await beside, await callMcpTool(servers, 'flood__word')];
    await server.left;

    expect(results[0]).toMatchObject({
      error: { category: 'unknown', message: 'The MCP server "flood" answered more than 8 MiB.' },
      attempts: 1,
    });
    expect(results.slice(1).map(({ content }) => content)).toEqual(['a word', 'a word']);
  },
);

test('a stream may go on for as long as it likes while none of its events is larger than 8 MiB', async () => {
  await using server = await openFloodingServer();
  await using servers = useMcpServers({ flood: { url: server.url } });

  const result = await callMcpTool(servers, 'flood__many_events');

  expect(result.content).toBe('twelve events before');
});
