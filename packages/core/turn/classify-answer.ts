import { canonicalJson } from '../json.ts';
import { isWaiting } from './next-step.ts';
import type { ToolResult } from './tool-result.ts';
import type { Approval, ToolCall } from './turn.ts';

/** What an answer from outside is: new, a repetition, or refused for a reason. */
export type AnswerOutcome = 'record' | 'repeat' | 'contradiction' | 'not-waiting' | 'given-up' | 'handed-over';

/** Classifies a client's result for one call. Repeating it is fine; the first answer stands (contract: Turn). */
export function classifyOutput(call: ToolCall, result: ToolResult): AnswerOutcome {
  const { waitsFor, result: first } = call;
  if (first?.status === 'handed_over') return 'handed-over';
  if (waitsFor !== 'output') return 'not-waiting';
  if (isWaiting(call)) return 'record';
  // An answer counts as one try: a result without a try means that no answer came in time.
  if (first === null || first.attempts === 0) return 'given-up';
  return canonicalResult(first) === canonicalResult(result) ? 'repeat' : 'contradiction';
}

/** Classifies a person's decision about one call in the same way. */
export function classifyDecision(call: ToolCall, decision: Approval['decision']): AnswerOutcome {
  if (call.result?.status === 'handed_over') return 'handed-over';
  if (call.approval) return call.approval.decision === decision ? 'repeat' : 'contradiction';
  if (call.waitsFor !== 'approval') return 'not-waiting';
  return isWaiting(call) ? 'record' : 'given-up';
}

/** A result in one spelling: some clients give the keys of an object in another order each time. */
function canonicalResult({ content, parts, error }: ToolResult): string {
  return canonicalJson(JSON.stringify({ content: content === null ? null : canonicalJson(content), parts, error }));
}
