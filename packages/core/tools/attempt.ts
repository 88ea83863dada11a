import type { ToolEffect } from '../turn/tool.ts';
import type { ToolError, ToolErrorCategory } from '../turn/tool-result.ts';

/**
 * How one try of a call ended. `certainty` says what is known about the tool: it never got the call; it answered; it broke
 * down, so that its error is no word of its own; or the answer was lost, so that it is not known what the tool did. `cut` tells that
 * the output was longer than what was read.
 * Output and error are as the tool gave them: `runCall` makes them fit to be stored.
 */
export type Attempt =
  | { kind: 'answered'; output: unknown; cut: boolean }
  | {
      kind: 'failed';
      error: ToolError;
      afterMs: number;
      certainty: 'never-reached' | 'answered' | 'broke' | 'lost';
    };

export type FailedAttempt = Extract<Attempt, { kind: 'failed' }>;

/** Categories that name what passes by itself. */
const PASSING: readonly ToolErrorCategory[] = ['rate_limited', 'execution_timeout', 'network_error'];

/**
 * Whether another try may help and is allowed, for tools of every kind (docs/tools.md): after what passes by itself, and
 * after a breakdown; what a tool says of its failure itself is an answer. An `at_most_once` call is repeated only if it
 * never reached the tool.
 */
export function mayRepeat({ error, certainty }: FailedAttempt, effect: ToolEffect): boolean {
  const mayHelp = PASSING.includes(error.category) || certainty === 'broke';
  return mayHelp && (effect !== 'at_most_once' || certainty === 'never-reached');
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
