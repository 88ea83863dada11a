import { isTerminal, type Round, type Turn } from '../turn.ts';
import { answeringRound } from './turn-up-to.ts';

/** The round that a fork follows. By default it is the last round with answers to all calls. */
export type ForkPlace = { afterRound: number | null; hasInput: boolean };

/** The last round of its origin that a fork reads, or why the fork is impossible. -1 means only earlier turns. */
export type ForkPlan =
  | { kind: 'planned'; afterRound: number; upToRound: number }
  | { kind: 'not-begun' | 'never-begun' | 'not-finished' | 'input-required' };

/** Decides which rounds a fork is based on. It uses only rounds that never change again (R37). */
export function planFork(turn: Turn, { afterRound: asked, hasInput }: ForkPlace): ForkPlan {
  const hasEnded = isTerminal(turn.status);
  // A turn that ended before its start has no position in its conversation.
  if (turn.work.delayed && hasEnded) return { kind: 'never-begun' };
  if (turn.work.delayed || (turn.startedAt === null && !hasEnded)) return { kind: 'not-begun' };
  const answered = answeredRounds(turn);
  const afterRound = asked ?? answered.length;
  if (afterRound === 0 && hasInput) return { kind: 'planned', afterRound, upToRound: -1 };
  if (turn.adopted.some(isOpen) || afterRound > answered.length) return { kind: 'not-finished' };
  const last = answered[afterRound - 1];
  if (last && !hasInput && isAnswer(turn, last)) return { kind: 'input-required' };
  return { kind: 'planned', afterRound, upToRound: afterRound };
}

/** Returns the first rounds of a turn up to the last round with results for all calls. */
function answeredRounds({ rounds }: Turn): Round[] {
  const open = rounds.findIndex(({ calls }) => calls.some(isOpen));
  return open === -1 ? rounds : rounds.slice(0, open);
}

/**
 * Returns whether a call is open. The answer to a handed-over call is in another turn's input, which the fork would
 * lack.
 */
function isOpen({ result }: Pick<Turn['adopted'][number], 'result'>): boolean {
  return result === null || result.status === 'handed_over';
}

/** Returns whether a model has no more to add to a round: it called no tool and has no answer to repair. */
function isAnswer(turn: Turn, round: Round): boolean {
  return round === answeringRound(turn) || (round.calls.length === 0 && round.violations === null);
}
