import type { ToolEffect } from '../turn/tool.ts';
import type { ToolError } from '../turn/tool-result.ts';

/**
 * How one try of a call ended. `certainty` says what is known about the tool: it never got the call, it answered, or
 * the answer was lost, so that nobody knows what it did. `cut` tells that the output was longer than what was read.
 * Output and error are as the tool gave them: `runCall` makes them fit to be stored.
 */
export type Attempt =
  | { kind: 'answered'; output: unknown; cut: boolean }
  | {
      kind: 'failed';
      error: ToolError;
      mayHelp: boolean;
      afterMs: number;
      certainty: 'never-reached' | 'answered' | 'lost';
    };

export type FailedAttempt = Extract<Attempt, { kind: 'failed' }>;

/** Whether another try may help and is allowed: an `at_most_once` call is repeated only if it never reached the tool. */
export function mayRepeat(attempt: FailedAttempt, effect: ToolEffect): boolean {
  return attempt.mayHelp && (effect !== 'at_most_once' || attempt.certainty === 'never-reached');
}

/** The error the model gets: a lost answer of an `at_most_once` call is `outcome_unknown`, whatever was seen of it. */
export function lastError(attempt: FailedAttempt, effect: ToolEffect): ToolError {
  if (effect !== 'at_most_once' || attempt.certainty !== 'lost') return attempt.error;
  const { message, details } = attempt.error;
  return {
    category: 'outcome_unknown',
    message: `The call was sent, and nobody knows whether it took effect. Check before calling again. (${message})`,
    details,
  };
}
