import { isWaiting } from './next-step.ts';
import type { ToolResult } from './tool-result.ts';
import type { Approval, ToolCall } from './turn.ts';

/** What an answer from outside is worth: new, said before, or refused with the reason. */
export type AnswerVerdict = 'record' | 'repeat' | 'contradiction' | 'not-waiting';

/** Judges a client's result for one call. Saying the same again is fine; the first answer stands (contract: Turn). */
export function judgeOutput(call: ToolCall, result: ToolResult): AnswerVerdict {
  if (isWaiting(call) && call.waitsFor === 'output') return 'record';
  if (call.result === null || call.waitsFor !== 'output') return 'not-waiting';
  return isSame(call.result, result) ? 'repeat' : call.expired ? 'not-waiting' : 'contradiction';
}

/** Judges a person's word about one call, in the same way. */
export function judgeDecision(call: ToolCall, decision: Approval['decision']): AnswerVerdict {
  if (call.approval) return call.approval.decision === decision ? 'repeat' : 'contradiction';
  return isWaiting(call) && call.waitsFor === 'approval' ? 'record' : 'not-waiting';
}

function isSame(a: ToolResult, b: ToolResult): boolean {
  const told = ({ status, content, error }: ToolResult) =>
    JSON.stringify([status, content, error?.category, error?.message]);
  return told(a) === told(b);
}
