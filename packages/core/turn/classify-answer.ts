import { canonicalJson } from '../json.ts';
import { canonicalArguments } from './call.ts';
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

/** What a person says of a call. Allowing it without `arguments` allows the model's own. */
export type Decision = Pick<Approval, 'decision'> & { arguments?: string | undefined };

/** Classifies a person's decision about one call in the same way. Of an allowed call it includes the arguments (R39). */
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

/** A result in one spelling: some clients give the keys of an object in another order each time. */
function canonicalResult({ content, parts, error }: ToolResult): string {
  return canonicalJson(JSON.stringify({ content: content === null ? null : canonicalJson(content), parts, error }));
}
