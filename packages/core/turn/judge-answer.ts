import { canonicalJson } from './canonical-json.ts';
import { isWaiting } from './next-step.ts';
import type { ToolResult } from './tool-result.ts';
import type { Approval, ToolCall } from './turn.ts';

/** What an answer from outside is worth: new, said before, or refused with the reason. */
export type AnswerVerdict = 'record' | 'repeat' | 'contradiction' | 'not-waiting' | 'given-up';

/** Judges a client's result for one call. Saying the same again is fine; the first answer stands (contract: Turn). */
export function judgeOutput(call: ToolCall, result: ToolResult): AnswerVerdict {
  const { waitsFor, result: first } = call;
  if (waitsFor !== 'output') return 'not-waiting';
  if (isWaiting(call)) return 'record';
  // Whoever answers has tried once: a result without a try is that of a call nobody answered in time.
  if (first === null || first.attempts === 0) return 'given-up';
  return told(first) === told(result) ? 'repeat' : 'contradiction';
}

/** Judges a person's word about one call, in the same way. */
export function judgeDecision(call: ToolCall, decision: Approval['decision']): AnswerVerdict {
  if (call.approval) return call.approval.decision === decision ? 'repeat' : 'contradiction';
  if (call.waitsFor !== 'approval') return 'not-waiting';
  return isWaiting(call) ? 'record' : 'given-up';
}

/** The order of keys says nothing: some clients give an object in another one each time. */
function told({ content, error }: ToolResult): string {
  return canonicalJson(JSON.stringify({ content: content === null ? null : canonicalJson(content), error }));
}
