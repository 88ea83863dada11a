import { isTerminal, type Round, type Turn } from '../turn.ts';
import { answeringRound } from './turn-up-to.ts';

/** Where a fork is asked for; without `afterRound`, behind the last round whose calls are all answered. */
export type ForkPlace = { afterRound: number | null; hasInput: boolean };

/** The last round of its origin that a fork reads (-1: none, only earlier turns), or why there is no fork. */
export type ForkPlan =
  | { kind: 'planned'; afterRound: number; upToRound: number }
  | { kind: 'not-begun' | 'never-begun' | 'not-finished' | 'input-required' };

/** Decides on what a fork of a turn stands: only on what never changes any more (R37). */
export function planFork(turn: Turn, { afterRound: asked, hasInput }: ForkPlace): ForkPlan {
  const hasEnded = isTerminal(turn.status);
  // It has no place in its line.
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

/** The first rounds of a turn, as far as all of their calls have results. */
function answeredRounds({ rounds }: Turn): Round[] {
  const open = rounds.findIndex(({ calls }) => calls.some(isOpen));
  return open === -1 ? rounds : rounds.slice(0, open);
}

/** A call that was handed over is answered in the input of another turn, so what stands on its round would lack it. */
function isOpen({ result }: Pick<Turn['adopted'][number], 'result'>): boolean {
  return result === null || result.status === 'handed_over';
}

/** Whether a model has nothing to add to a round: it asked for no call and has nothing to repair. */
function isAnswer(turn: Turn, round: Round): boolean {
  return round === answeringRound(turn) || (round.calls.length === 0 && round.violations === null);
}
