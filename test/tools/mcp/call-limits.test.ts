import { expect, test } from 'vitest';
import { keepConnection } from '#core/tools/mcp/connection.ts';
import { executeMcp } from '#core/tools/mcp/execute.ts';
import { findMisfit } from '#core/tools/mcp/output-misfit.ts';
import { offeredName } from '#core/turn/request/labelled-tool.ts';
import { preparedCall } from '../calls.ts';
import { openListingServer } from './listing-server.ts';
import { callMcpTool, useMcpServers } from './use-mcp-servers.ts';

const derived = offeredName('s', 'read/file');
const unread = { tools: [], leftOut: [], unchecked: [], outputSchemas: new Map() };
const never = () => new Promise<never>(() => {});

test('the wait for a tool list counts toward the timeout of a call', async () => {
  await using server = await openListingServer('sessions', { tools: [], results: {} }, never());
  await using servers = useMcpServers({ s: server.config });

  const { error } = await callMcpTool(servers, derived, { timeout_ms: 200 });

  expect(error).toMatchObject({ category: 'execution_timeout', message: 'The MCP server "s" was not there in time.' });
  expect(server.called).toEqual([]);
});

test('a call aborted while the server lists its tools rejects with the reason', async () => {
  const aborting = new AbortController();
  const list = () => {
    aborting.abort('shutdown');
    return never();
  };
  const server = { name: 's', askedMs: () => 0, connection: keepConnection(never) };
  const call = preparedCall({ name: derived, execution: { kind: 'mcp', server: 's' } });

  const attempt = executeMcp(
    { ...server, listing: { list, known: () => unread } },
    {
      ...{ tool: call.tool, args: {}, idempotencyKey: call.idempotencyKey, turnId: call.turnId, project: 'default' },
      ...{ timeoutMs: 600_000, signal: aborting.signal, progress: () => {} },
    },
  );

  await expect(attempt).rejects.toBe('shutdown');
});

test('the check of a result ends with its call', async () => {
  const ending = new AbortController();
  const list = () => {
    ending.abort();
    return never();
  };
  const outputSchemas = new Map([['measure', { type: 'object', required: ['celsius'] }]]);
  const listing = { list, known: () => ({ ...unread, tools: [preparedCall({}).tool], outputSchemas }) };
  const check = { tool: 'measure', listing, project: 'default', signal: ending.signal };
  const result = { content: [], structuredContent: {} };

  const misfit = await findMisfit(result, check);
  const late = await findMisfit(result, check);

  expect(misfit?.message).toContain('does not fit its output schema');
  expect(late).toBeNull();
});
