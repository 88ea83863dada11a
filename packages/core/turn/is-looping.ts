import { canonicalArguments } from './canonical-arguments.ts';
import type { AskedCall } from './message.ts';
import type { Turn } from './turn.ts';

/** The same call, by name and arguments, so many times in a row is the last; seen in agents that are stuck. */
export const MAX_SAME_CALLS = 10;

/**
 * Whether a call only repeats what was asked right before it, in earlier rounds or as one of the `siblings` before it,
 * often enough to end it: it is answered with a note instead of being run, and the turn's final round follows.
 */
export function isLooping(
  { rounds }: Pick<Turn, 'rounds'>,
  asked: AskedCall & { round: number; index: number },
  siblings: AskedCall[] = rounds.find((round) => round.number === asked.round)?.calls ?? [],
): boolean {
  const earlier = rounds.filter((round) => round.number < asked.round).flatMap((round) => round.calls);
  const before = [...earlier, ...siblings.slice(0, asked.index)].slice(1 - MAX_SAME_CALLS);
  if (before.length < MAX_SAME_CALLS - 1 || before.some((call) => call.name !== asked.name)) return false;
  const same = canonicalArguments(asked.arguments);
  return before.every((call) => canonicalArguments(call.arguments) === same);
}
