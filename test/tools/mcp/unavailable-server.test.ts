import { expect, test } from 'vitest';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { closedPort } from '../servers.ts';
import { useMcpServers } from './use-mcp-servers.ts';

test('an MCP server with a wrong URL is logged at the start, with its status and no key', async () => {
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

test('an MCP server that does not run has a problem that may pass', async () => {
  await using servers = useMcpServers({ cities: { url: `http://127.0.0.1:${await closedPort()}/mcp` } });

  const found = await servers.find('cities__look_up');

  expect(found).toMatchObject({ kind: 'unavailable', problem: { isLasting: false } });
  expect(servers.problems()[0]).toMatch(
    /^The MCP server cities at \S+ cannot be reached \(ECONNREFUSED\)\. Check that it runs/,
  );
});
