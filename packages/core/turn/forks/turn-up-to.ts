import { turnBefore } from '../history/turn-before.ts';
import type { Round, Turn } from '../turn.ts';

/**
 * Returns a turn up to one of its rounds, as a fork sees it. The answer counts as a round. Round 0 is the input alone
 * (R37).
 */
export function turnUpTo(turn: Turn, round: number): Turn {
  if (answeringRound(turn)?.number === round) return turn;
  const { compactions, ...before } = turnBefore(turn, round + 1);
  return { ...before, pendingInput: [], compactions: compactions.filter((compaction) => compaction.round <= round) };
}

/** Returns the round with the answer of a turn, if its text is stored only as the turn's output. */
export function answeringRound({
  status,
  rounds,
  output,
}: Pick<Turn, 'status' | 'rounds' | 'output'>): Round | undefined {
  const last = rounds.at(-1);
  const isAnswer = last?.calls.length === 0 && last.text === null && last.violations === null;
  const hasEnded = status === 'completed' || status === 'incomplete';
  return hasEnded && output !== null && isAnswer ? last : undefined;
}
