import type { CallToolRequestOptions, CallToolResult } from '@modelcontextprotocol/client';
import type { Tool } from '../../turn/tool.ts';
import type { Attempt } from '../attempt.ts';
import { explainMcpFailure } from './explain-mcp-failure.ts';
import type { KeptConnection } from './keep-connection.ts';
import { readMcpError } from './read-mcp-error.ts';
import { renderMcpResult, tellsAll } from './render-mcp-result.ts';
import type { Work } from './share-connection.ts';

/** One try of a tool of an MCP server. `progress` hears what the tool tells meanwhile. */
export type McpRequest = {
  tool: Tool;
  args: Record<string, unknown>;
  idempotencyKey: string;
  turnId: string;
  timeoutMs: number;
  signal: AbortSignal;
  progress(value: unknown): void;
};

type Server = { name: string; connection: KeptConnection };

/**
 * Calls a tool of a server once, within `timeoutMs`, connecting included. A server is told when its call is given up.
 * Rejects with the reason of `signal` when that aborts.
 */
export async function executeMcp({ name, connection }: Server, request: McpRequest): Promise<Attempt> {
  request.signal.throwIfAborted();
  const { timeoutMs } = request;
  const tool = nameThere(request.tool, name);
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort('timeout'), timeoutMs);
  const signal = AbortSignal.any([request.signal, ending.signal]);
  let sent = false;
  const call: Work<CallToolResult> = ({ client }) => {
    sent = true;
    return client.callTool(paramsOf(tool, request), optionsOf(tool, request, signal));
  };
  try {
    return readResult(await connection.use(call, signal));
  } catch (error) {
    request.signal.throwIfAborted();
    const seen = ending.signal.aborted ? { kind: 'timeout' as const } : readMcpError(error);
    return explainMcpFailure(seen, { server: name, sent, timeoutMs });
  } finally {
    clearTimeout(timer);
  }
}

/** The key stays the same however often a call is tried, for servers that look at it. */
function paramsOf(name: string, { args, idempotencyKey, turnId }: McpRequest) {
  return { name, arguments: args, _meta: { 'pawl/idempotency_key': idempotencyKey, 'pawl/turn_id': turnId } };
}

/**
 * Our timer is the one that ends a call. The definition a turn carries goes along: the client reads from it which
 * arguments a server wants as headers too. It has no output schema, so an answer that breaks the server's is taken too.
 */
function optionsOf(
  name: string,
  { tool, timeoutMs, progress }: McpRequest,
  signal: AbortSignal,
): CallToolRequestOptions {
  const inputSchema = { ...tool.parameters, type: 'object' as const };
  return { signal, timeout: timeoutMs + 1_000, onprogress: progress, toolDefinition: { name, inputSchema } };
}

function nameThere({ name }: Tool, server: string): string {
  return name.startsWith(`${server}__`) ? name.slice(server.length + 2) : name;
}

function readResult(result: CallToolResult): Attempt {
  if (!result.isError) return { kind: 'answered', output: renderMcpResult(result), cut: false };
  const { content, structuredContent } = result;
  const message = renderMcpResult({ content }) || 'The tool reported an error and did not say which.';
  const details = tellsAll(content, structuredContent)
    ? {}
    : Object.fromEntries(Object.entries(structuredContent ?? {}));
  const error = { category: 'unknown' as const, message, details };
  return { kind: 'failed', error, afterMs: 0, certainty: 'answered' };
}
