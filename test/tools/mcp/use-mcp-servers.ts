import { expect } from 'vitest';
import type { AnswerSlot } from '#core/bounds/answer-slots.ts';
import { makeRedact } from '#core/redact.ts';
import { readMcpServers } from '#core/tools/mcp/config.ts';
import { type McpServers, openMcpServers } from '#core/tools/mcp/servers.ts';
import { runCall } from '#core/tools/run/call.ts';
import type { Tool, TurnTool } from '#core/turn/request/tool.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { callContext, preparedCall } from '../calls.ts';

/**
 * Opens the servers of a `PAWL_MCP` and closes them after the test. Records warnings to the operator and logged
 * output.
 */
export function useMcpServers(config: Record<string, unknown>) {
  const warnings: [about: Record<string, unknown>, sentence: string][] = [];
  const warn = (about: Record<string, unknown>, sentence: string) => void warnings.push([about, sentence]);
  const output: string[] = [];
  const servers = openMcpServers(readMcpServers(JSON.stringify(config)), {
    ...{ warn, path: process.env.PATH, redact: makeRedact(['sk-of-ours']) },
    log: (about) => void output.push(about.output),
  });
  return { ...servers, warnings, output, [Symbol.asyncDispose]: () => servers.close() };
}

type Calling = {
  args?: Record<string, unknown>;
  signal?: AbortSignal;
  progress?: (value: unknown) => void;
  slot?: AnswerSlot;
} & Partial<Pick<TurnTool, 'remoteName'>> &
  Partial<Pick<Tool, 'effect' | 'timeout_ms' | 'retry'>>;

/** Waits until a tool is listed. A list waits only briefly for a server, and a busy machine may slow any server. */
export async function untilSeen({ find }: McpServers, name: string): Promise<void> {
  await waitUntil(async () => expect((await find(name)).kind).toBe('found'));
}

/** Calls a tool and returns the answer. Does not retry, unless the test says so. */
export async function callMcpTool(servers: McpServers, name: string, calling: Calling = {}) {
  const { args = {}, signal, progress, slot, remoteName, ...rules } = calling;
  const given = { ...(signal && { signal }), ...(progress && { progress }), ...(slot && { slot }) };
  await using context = callContext([], { mcp: servers, ...given });
  const execution = { kind: 'mcp', server: name.split('__')[0] };
  const patient = { retry: { max_attempts: 1, backoff_ms: 0 }, timeout_ms: 600_000 };
  const call = preparedCall({ name, execution, effect: 'none', ...patient, ...rules }, args);
  const { result } = await runCall({ ...call, tool: { ...call.tool, ...(remoteName && { remoteName }) } }, context);
  return result;
}
