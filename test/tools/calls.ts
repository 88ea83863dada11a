import { openEgress } from '#core/egress/open.ts';
import { parseEgressAllow } from '#core/egress/policy.ts';
import { plainProject } from '#core/project.ts';
import { makeRedact } from '#core/redact.ts';
import type { ServerTool } from '#core/tools/define/tool.ts';
import { toolRegistry } from '#core/tools/registry.ts';
import type { CallContext, PreparedCall } from '#core/tools/run/call.ts';
import { Tool } from '#core/turn/request/tool.ts';

/** Returns the context of calls, with an egress that allows 127.0.0.1. */
export function callContext(tools: ServerTool[], more: Partial<CallContext> = {}): CallContext & AsyncDisposable {
  const egress = openEgress(parseEgressAllow('127.0.0.1'));
  return {
    registry: toolRegistry(tools),
    mcp: { server: () => undefined },
    egress,
    outputLimit: 65_536,
    toolSecrets: new Map(),
    redact: makeRedact([]),
    signal: new AbortController().signal,
    progress: () => {},
    ...more,
    [Symbol.asyncDispose]: () => egress.close(),
  };
}

/** Returns a call that was already checked, without a pause between its attempts. */
export function preparedCall(
  tool: Partial<Record<keyof Tool, unknown>>,
  args: Record<string, unknown> = {},
): PreparedCall {
  const definition = Tool.parse({ name: 'tool', retry: { max_attempts: 3, backoff_ms: 0 }, ...tool });
  return {
    tool: definition,
    args,
    turnId: 'turn_1',
    project: plainProject('default'),
    idempotencyKey: 'turn_1.1.call_1',
  };
}
