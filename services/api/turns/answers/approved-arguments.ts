import { RequestRefused } from '#core/failure.ts';
import { prepareCall } from '#core/tools/arguments/prepare-call.ts';
import { allCalls, canonicalArguments, toolsFor } from '#core/turn/call.ts';
import { classifyDecision } from '#core/turn/classify-answer.ts';
import type { ToolCall, Turn } from '#core/turn/turn.ts';
import { renderPath } from '../../http/issues.ts';

/** The decision of a person about a call. `arguments` replace the model's arguments, as JSON. */
export type DecidedCall = { callId: string; decision: 'allow' | 'deny'; arguments: string | undefined };

/**
 * Refuses arguments that do not match the schema of the call's tool, with the path of the first problem (R39). It
 * needs no lock: a turn's tools and the arguments of a call never change. Calls that accept no decision are left to
 * the function that records it.
 */
export async function checkApprovedArguments(turn: Turn, decided: readonly DecidedCall[]): Promise<void> {
  const calls = new Map(allCalls(turn).map((call) => [call.id, call]));
  for (const [index, one] of decided.entries()) {
    const call = calls.get(one.callId);
    if (one.arguments === undefined || !call || classifyDecision(call, one) !== 'record') continue;
    await checkFits(turn, { ...call, arguments: one.arguments }, ['approvals', index, 'arguments']);
  }
}

async function checkFits(turn: Turn, call: ToolCall, path: PropertyKey[]): Promise<void> {
  const { allowed_capabilities: allowedCapabilities } = turn.config;
  const rules = { tools: toolsFor(turn.config, call), allowedCapabilities, project: turn.project };
  const prepared = await prepareCall(call, rules);
  if (prepared.ok) return;
  const steps = (prepared.steps ?? []).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const param = renderPath([...path, ...steps]);
  const message = `Correct \`${param}\`. No call was decided, because: ${prepared.error.message}.`;
  throw new RequestRefused(400, 'invalid_value', message, param);
}

/** Returns the arguments to record for an allowed call. None if they equal the model's arguments. */
export function changedArguments(call: ToolCall, approved: string | undefined): { arguments?: string } {
  const isChanged = approved !== undefined && canonicalArguments(approved) !== canonicalArguments(call.arguments);
  return isChanged ? { arguments: approved } : {};
}
