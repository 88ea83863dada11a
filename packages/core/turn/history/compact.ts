import type { InputMessage } from '../message.ts';
import { iso } from '../resource/iso.ts';
import { presentRound } from '../resource/turn.ts';
import type { Turn } from '../turn.ts';

/** One message as it is kept; only an answer that took rounds of tool calls has them. */
export type CompactMessage = {
  role: InputMessage['role'];
  content: string | null;
  turn_id: string;
  created_at: string;
  rounds?: ReturnType<typeof presentRound>[];
};

/** The history as it is kept: an answer's final text with the rounds that led to it (seed: compact storage). */
export function compactHistory(turns: Turn[]): CompactMessage[] {
  return turns.flatMap((turn) => [
    ...turn.input.map((message) => ({ ...message, turn_id: turn.id, created_at: iso(turn.createdAt) })),
    ...answerOf(turn),
  ]);
}

function answerOf(turn: Turn): CompactMessage[] {
  const rounds = turn.rounds
    .filter((round) => round.calls.length > 0)
    .map((round) => presentRound(round, turn.work.leased));
  if (turn.output === null && rounds.length === 0) return [];
  const created_at = iso(turn.completedAt ?? turn.rounds.at(-1)?.completedAt ?? turn.createdAt);
  const message = { role: 'assistant' as const, content: turn.output, turn_id: turn.id, created_at };
  return [rounds.length > 0 ? { ...message, rounds } : message];
}
