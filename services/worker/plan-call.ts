import { type CheckedCall, prepareCall } from '#core/tools/prepare-call.ts';
import { isBeyondLimit } from '#core/turn/reached-limit.ts';
import type { ToolError } from '#core/turn/tool-result.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';

/**
 * What is to be done about one open call: run it, answer it without running it, or judge the claim of a run that was
 * never heard of again.
 */
export type CallPlan = ({ kind: 'run' } & CheckedCall) | { kind: 'refuse'; error: ToolError } | { kind: 'give-up' };

/** Decides from what is stored; the caller holds the turn wherever a claim is open (R8). */
export function planCall(turn: Turn, call: ToolCall): CallPlan {
  if (call.claimedBy !== null) return { kind: 'give-up' };
  if (isBeyondLimit(turn, call)) return { kind: 'refuse', error: beyondLimit(turn) };

  const { tools, allowed_capabilities: allowedCapabilities } = turn.config;
  const prepared = prepareCall(call, { tools, allowedCapabilities });
  return prepared.ok ? { kind: 'run', ...prepared.call } : { kind: 'refuse', error: prepared.error };
}

function beyondLimit({ config }: Turn): ToolError {
  const message = `This turn may make ${config.limits.max_tool_calls} tool calls and has made them. Answer with what you have.`;
  return { category: 'cancelled', message, details: {} };
}
