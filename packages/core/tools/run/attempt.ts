import type { ToolEffect } from '../../turn/request/tool.ts';
import type { ToolError, ToolErrorCategory } from '../../turn/tool-result.ts';

/**
 * The end of one attempt of a call. Output and error are the tool's own. `runCall` cleans them for storage. `cut`:
 * the output was longer than the read part. `certainty`:
 * - `never-reached`: the tool did not get the call.
 * - `answered`: the tool answered.
 * - `broke`: the tool broke down, so the error is not its answer.
 * - `lost`: the answer was lost, so the effect is unknown.
 */
export type Attempt =
  | { kind: 'answered'; output: unknown; cut: boolean }
  | { kind: 'failed'; error: ToolError; afterMs: number; certainty: 'never-reached' | 'answered' | 'broke' | 'lost' };

export type FailedAttempt = Extract<Attempt, { kind: 'failed' }>;

/** The failure of an attempt. Without `afterMs` the tool asks for no pause. */
export type AttemptFailure = Pick<ToolError, 'category' | 'message'> &
  Pick<FailedAttempt, 'certainty'> & { details?: ToolError['details']; afterMs?: number };

export function failedAttempt({ certainty, afterMs = 0, details = {}, ...error }: AttemptFailure): FailedAttempt {
  return { kind: 'failed', error: { ...error, details }, afterMs, certainty };
}

const TRANSIENT: readonly ToolErrorCategory[] = ['rate_limited', 'execution_timeout', 'network_error'];

/**
 * Returns whether another attempt may help and is allowed (docs/tools.md): after a transient failure or a breakdown.
 * An `at_most_once` call is repeated only if it never reached the tool.
 */
export function mayRepeat({ error, certainty }: FailedAttempt, effect: ToolEffect): boolean {
  const mayHelp = TRANSIENT.includes(error.category) || certainty === 'broke';
  return mayHelp && (effect !== 'at_most_once' || certainty === 'never-reached');
}

/** Returns the error for the model. A lost answer of an `at_most_once` call is always `outcome_unknown`. */
export function lastError(attempt: FailedAttempt, effect: ToolEffect): ToolError {
  if (effect !== 'at_most_once' || attempt.certainty !== 'lost') return attempt.error;
  const { message, details } = attempt.error;
  return {
    category: 'outcome_unknown',
    message: `The call was sent, and it is unknown whether it took effect. Check before calling again. (${message})`,
    details,
  };
}
