import { canonicalJson } from '../json.ts';
import { canonicalArguments } from './call.ts';
import { isWaiting } from './next-step.ts';
import type { ToolResult } from './tool-result.ts';
import type { Approval, ToolCall } from './turn.ts';

/** The class of an answer from a client: new, a repetition, or refused for a reason. */
export type AnswerOutcome = 'record' | 'repeat' | 'contradiction' | 'not-waiting' | 'given-up' | 'handed-over';

/** Classifies a client's result for one call. A repetition is accepted, and the first answer counts. */
export function classifyOutput(call: ToolCall, result: ToolResult): AnswerOutcome {
  const { waitsFor, result: first } = call;
  if (first?.status === 'handed_over') return 'handed-over';
  if (waitsFor !== 'output') return 'not-waiting';
  if (isWaiting(call)) return 'record';
  // An answer counts as one attempt. So a result without an attempt means that no answer arrived in time.
  if (first === null || first.attempts === 0) return 'given-up';
  return canonicalResult(first) === canonicalResult(result) ? 'repeat' : 'contradiction';
}

/** A person's decision about a call. If `arguments` is absent, an allowed call runs with the model's own. */
export type Decision = Pick<Approval, 'decision'> & { arguments?: string | undefined };

/** Classifies a person's decision about one call. For an allowed call, the arguments count too (R39). */
export function classifyDecision(call: ToolCall, decided: Decision): AnswerOutcome {
  if (call.result?.status === 'handed_over') return 'handed-over';
  if (call.approval) return isSameDecision(call, call.approval, decided) ? 'repeat' : 'contradiction';
  if (call.waitsFor !== 'approval') return 'not-waiting';
  return isWaiting(call) ? 'record' : 'given-up';
}

function isSameDecision(call: ToolCall, first: Decision, second: Decision): boolean {
  if (first.decision !== second.decision) return false;
  return second.decision === 'deny' || canonicalToRun(call, first) === canonicalToRun(call, second);
}

function canonicalToRun({ arguments: asked }: ToolCall, { arguments: approved = asked }: Decision): string {
  return canonicalArguments(approved);
}

/** Returns a result in one spelling, since some clients order the keys of an object differently each time. */
function canonicalResult({ content, parts, error }: ToolResult): string {
  return canonicalJson(JSON.stringify({ content: content === null ? null : canonicalJson(content), parts, error }));
}
