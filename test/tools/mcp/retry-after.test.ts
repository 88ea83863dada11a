import { expect, test } from 'vitest';
import { msAgo } from '#test/harness/moments.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { callMcpTool, useMcpServers } from './use-mcp-servers.ts';

const args = { city: 'Tokyo' };

test.each([
  [429, '3600'],
  [503, new Date(msAgo(-3_600_000)).toUTCString()],
])('a server that answers %i with a long Retry-After is not called again', async (status, asked) => {
  const headers = { 'retry-after': asked };
  await using externalServer = await openExternalServer(() => ({ status, body: 'busy', headers }));
  await using servers = useMcpServers({ cities: { url: externalServer.url } });
  const retry = { max_attempts: 3, backoff_ms: 0 };

  const { error, attempts } = await callMcpTool(servers, 'cities__look_up', { args, retry });

  expect(attempts).toBe(1);
  expect(error?.details).toMatchObject({ status, retry_after_seconds: expect.any(Number) });
  expect(Number(error?.details.retry_after_seconds)).toBeGreaterThan(3_000);
});

test('a server that requests a short pause is called again after the pause', async () => {
  const headers = { 'retry-after-ms': '40' };
  await using externalServer = await openExternalServer(() => ({ status: 429, body: 'busy', headers }));
  await using servers = useMcpServers({ cities: { url: externalServer.url } });

  const { error, attempts } = await callMcpTool(servers, 'cities__look_up', {
    ...{ args, retry: { max_attempts: 2, backoff_ms: 0 } },
  });

  expect(attempts).toBe(2);
  // On a busy machine the pause ends before the error is written. Then the error does not mention the pause.
  expect(error?.details).toMatchObject({ status: 429 });
});
