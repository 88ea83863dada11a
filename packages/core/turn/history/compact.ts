import type { InputMessage } from '../message.ts';
import type { InputItem, Part } from '../request/item.ts';
import { presentInput } from '../resource/input.ts';
import { iso } from '../resource/iso.ts';
import { type AdoptedCalls, presentAdopted, presentRound } from '../resource/turn.ts';
import { isAdded, type Round, type Turn } from '../turn.ts';

/** A stored message. Only an answer after tool calls or with adopted calls has `rounds` or adopted calls. */
export type CompactMessage = AdoptedCalls & {
  role: InputMessage['role'];
  content: string | Part[] | null;
  turn_id: string;
  created_at: string;
  rounds?: ReturnType<typeof presentRound>[];
};

/** Returns the compact history: each answer's final text with the rounds before it. */
export function compactHistory(turns: Turn[]): CompactMessage[] {
  return turns.flatMap((turn) => [...saidTo(turn, turn.input), ...answerOf(turn), ...saidTo(turn, turn.pendingInput)]);
}

function saidTo({ id, createdAt }: Turn, input: InputItem[]): CompactMessage[] {
  return presentInput(input).map((message) => ({ ...message, turn_id: id, created_at: iso(createdAt) }));
}

function isOutput({ output, rounds }: Turn, { number }: Round): boolean {
  return output !== null && number === rounds.length;
}

function answerOf(turn: Turn): CompactMessage[] {
  const rounds = turn.rounds
    .filter(
      (round) => round.calls.length > 0 || round.input.length > 0 || (round.text !== null && !isOutput(turn, round)),
    )
    .map((round) => presentRound(round, turn.work.leased));
  const adopted = presentAdopted(turn);
  const isEmpty = turn.output === null && rounds.length === 0 && !adopted.adopted_calls;
  if (isAdded(turn) || isEmpty) return [];
  const created_at = iso(turn.completedAt ?? turn.rounds.at(-1)?.completedAt ?? turn.createdAt);
  const message = { role: 'assistant' as const, content: turn.output, turn_id: turn.id, created_at, ...adopted };
  return [rounds.length > 0 ? { ...message, rounds } : message];
}
