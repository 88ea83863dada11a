import { iso, presentRound } from '../present-turn.ts';
import type { Turn } from '../turn.ts';

/** What was said, as it is kept: an answer's final text with the rounds that led to it (seed: compact storage). */
export function compactHistory(turns: Turn[]): Record<string, unknown>[] {
  return turns.flatMap((turn) => [
    ...turn.input.map((message) => ({ ...message, turn_id: turn.id, created_at: iso(turn.createdAt) })),
    ...answerOf(turn),
  ]);
}

function answerOf(turn: Turn): Record<string, unknown>[] {
  const rounds = turn.rounds
    .filter((round) => round.calls.length > 0)
    .map((round) => presentRound(round, turn.work.held));
  if (turn.output === null && rounds.length === 0) return [];
  const created_at = iso(turn.completedAt ?? turn.rounds.at(-1)?.completedAt ?? turn.createdAt);
  const message = { role: 'assistant', content: turn.output, turn_id: turn.id, created_at };
  return [rounds.length > 0 ? { ...message, rounds } : message];
}
