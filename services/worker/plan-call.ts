import type { NewCall } from '#core/checkpoint/save-round.ts';
import { type CheckedCall, prepareCall } from '#core/tools/prepare-call.ts';
import type { AskedCall } from '#core/turn/message.ts';
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
  if (call.waitsFor !== null && call.expired) return { kind: 'refuse', error: EXPIRED };
  if (isBeyondLimit(turn, call)) return { kind: 'refuse', error: beyondLimit(turn) };

  const { tools, allowed_capabilities: allowedCapabilities } = turn.config;
  const prepared = prepareCall(call, { tools, allowedCapabilities });
  return prepared.ok ? { kind: 'run', ...prepared.call } : { kind: 'refuse', error: prepared.error };
}

const EXPIRED: ToolError = {
  category: 'cancelled',
  message: 'Nobody answered this call in time.',
  details: {},
};

/** Whom a call will wait for; one that breaks a rule waits for nobody, since it is answered at once. */
export function waitOf(
  turn: Turn,
  call: AskedCall & { index: number; round: number },
): Pick<NewCall, 'waitsFor' | 'expiresInSeconds'> {
  const { tools, allowed_capabilities: allowedCapabilities } = turn.config;
  const prepared = prepareCall(call, { tools, allowedCapabilities });
  if (!prepared.ok || isBeyondLimit(turn, call)) return { waitsFor: null, expiresInSeconds: null };
  const { approval, execution, expires_in_seconds: expiresInSeconds } = prepared.call.tool;
  if (approval === 'always') return { waitsFor: 'approval', expiresInSeconds };
  return execution?.kind === 'client'
    ? { waitsFor: 'output', expiresInSeconds }
    : { waitsFor: null, expiresInSeconds: null };
}

function beyondLimit({ config }: Turn): ToolError {
  const message = `This turn may make ${config.limits.max_tool_calls} tool calls and has made them. Answer with what you have.`;
  return { category: 'cancelled', message, details: {} };
}
