import { expect, onTestFinished, test, vi } from 'vitest';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { closedPort } from '../servers.ts';
import { openListingServer } from './listing-server.ts';
import { untilSeen, useMcpServers } from './use-mcp-servers.ts';

test('an MCP server with a wrong URL is logged at the start, without its key', async () => {
  await using wrong = await openExternalServer(() => ({ status: 404, body: 'no such page' }));
  const url = new URL('/s/a-key-of-mine-0123456789/mcp?token=secret', wrong.url);
  await using servers = useMcpServers({ cities: { url: url.href } });

  servers.check();
  await waitUntil(() => servers.problems().length === 1);

  const sentence = `The MCP server cities at ${url.origin}/s/…/mcp answers with status 404. Check its URL in PAWL_MCP.`;
  expect(servers.problems()).toEqual([sentence]);
  expect(servers.warnings).toEqual([[expect.objectContaining({ mcp_server: 'cities', status: 404 }), sentence]]);
  expect(await servers.find('cities__look_up')).toMatchObject({ kind: 'unavailable', problem: { isLasting: true } });
});

test('the problem of an MCP server that does not run is temporary', async () => {
  await using servers = useMcpServers({ cities: { url: `http://127.0.0.1:${await closedPort()}/mcp` } });

  const found = await servers.find('cities__look_up');

  expect(found).toMatchObject({ kind: 'unavailable', problem: { isLasting: false } });
  expect(servers.problems()[0]).toMatch(
    /^The MCP server cities at \S+ cannot be reached \(ECONNREFUSED\)\. Check that the server runs/,
  );
});

test('the tools of a stopped MCP server stay listed, with a note in the list', async () => {
  // A list is read again after ten seconds.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1);
  onTestFinished(() => clock.mockRestore());
  const tools = [{ name: 'look_up', inputSchema: { type: 'object' } }];
  const server = await openListingServer('sessions', { tools, results: {} });
  await using servers = useMcpServers({ cities: server.config });
  await untilSeen(servers, 'cities__look_up');
  const before = await servers.list();
  await server[Symbol.asyncDispose]();
  clock.mockReturnValue(20_000);

  await waitUntil(async () => expect((await servers.list()).unavailable).toHaveLength(1));
  const { tools: known, unavailable } = await servers.list();

  expect(before.unavailable).toEqual([]);
  expect(known.map(({ name }) => name)).toEqual(['cities__look_up']);
  const reason = 'The MCP server "cities" cannot be reached now. Try again in a moment.';
  expect(unavailable).toEqual([
    { server: 'cities', reason: `${reason} The list has the tools of the server’s last list.` },
  ]);
});
