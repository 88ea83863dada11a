import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ToolFailed } from '#core/tools/define/tool.ts';
import { runCall } from '#core/tools/run/call.ts';
import type { ToolEffect } from '#core/turn/request/tool.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';
import { callContext, preparedCall } from '../calls.ts';
import { callMcpTool, useMcpServers } from '../mcp/use-mcp-servers.ts';
import { toolServer } from '../servers.ts';
import { runServerTool } from './run-server-tool.ts';

const effects = ['none', 'idempotent', 'at_most_once'] as const;
const retry = { max_attempts: 3, backoff_ms: 0 };

/** The same failures from a tool of each kind. The number of attempts depends on the effect alone. */
const failures = [
  { failure: 'a breakdown', tries: 3, thrown: new Error('oops'), status: 500, mcp: 'internal' },
  { failure: 'a breakdown of the network', tries: 3, thrown: network(), status: 502, mcp: 'status_502' },
  { failure: 'a requested pause', tries: 3, thrown: says('rate_limited'), status: 429, mcp: 'status_429' },
  { failure: 'an own word', tries: 1, thrown: says('unknown'), status: 409, mcp: 'is_error' },
  { failure: 'bad arguments', tries: 1, thrown: says('invalid_arguments'), status: 422, mcp: 'invalid_params' },
  { failure: 'no permission', tries: 1, thrown: says('permission_denied'), status: 403, mcp: 'status_403' },
] as const;

test.for(effects.flatMap((effect) => failures.map((failure) => ({ effect, ...failure }))))(
  '$failure of a tool with effect $effect allows equal attempts for all tool kinds',
  async (given) => {
    const { effect, tries, thrown, status, mcp } = given;
    await using http = await toolServer(() => ({ status, body: 'no' }));
    await using externalServer = await openFailingMcpServer();
    await using servers = useMcpServers({ cities: { url: externalServer.url } });

    const results = [
      (await runServerTool(() => Promise.reject(thrown), { effect })).result,
      await callHttpTool(http.url, effect),
      await callMcpTool(servers, `cities__${mcp}`, { effect, retry }),
    ];

    expect(results.map(({ attempts }) => attempts)).toEqual(Array(3).fill(effect === 'at_most_once' ? 1 : tries));
    expect(new Set(results.map(({ error }) => error?.category)).size).toBe(1);
    expect(externalServer.calls()).toBe(results[2]?.attempts);
  },
);

async function callHttpTool(url: string, effect: ToolEffect) {
  await using context = callContext([]);
  return (await runCall(preparedCall({ execution: { kind: 'http', url, headers: {} }, effect, retry }), context))
    .result;
}

function says(category: ToolFailed['category']) {
  return new ToolFailed(category, 'no');
}

function network() {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

/** Starts an MCP server with tools that fail as their names say. */
async function openFailingMcpServer() {
  let calls = 0;
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method, params } = (await json(request)) as { id?: number; method: string; params?: { name: string } };
    if (id === undefined) return response.writeHead(202).end();
    if (method === 'initialize') return send(response, { id, result: greeting });
    if (method !== 'tools/call') return send(response, { id, error: { code: -32_601, message: 'not known' } });
    calls += 1;
    return fail(response, { id, how: params?.name ?? '' });
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);
  return {
    url: `${origin}/mcp`,
    calls: () => calls,
    [Symbol.asyncDispose]: close,
  };
}

function fail(response: ServerResponse, { id, how }: { id: number; how: string }) {
  if (how.startsWith('status_')) return response.writeHead(Number(how.slice('status_'.length))).end('no');
  if (how === 'internal') return send(response, { id, error: { code: -32_603, message: 'oops' } });
  if (how === 'invalid_params') return send(response, { id, error: { code: -32_602, message: 'city: not a text' } });
  return send(response, { id, result: { isError: true, content: [{ type: 'text', text: 'no' }] } });
}

function send(response: ServerResponse, message: object) {
  return response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

const greeting = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'fail', version: '1.0.0' },
};
