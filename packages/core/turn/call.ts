import { randomBytes } from 'node:crypto';
import { canonicalJson } from '../json.ts';
import type { RequestedCall } from './message.ts';
import type { Round, ToolCall, Turn } from './turn.ts';

/** Gives calls ids that every wire takes: a missing, malformed or used one becomes a fresh `call_…` (contract: Tool). */
export function assignCallIds(calls: RequestedCall[], rounds: Round[]): RequestedCall[] {
  const used = new Set(rounds.flatMap((round) => round.calls.map((call) => call.id)));
  return calls.map((call) => {
    const id = /^[a-zA-Z0-9_-]{1,64}$/.test(call.id) && !used.has(call.id) ? call.id : freshCallId();
    used.add(id);
    return { ...call, id };
  });
}

function freshCallId(): string {
  return `call_${randomBytes(12).toString('hex')}`;
}

/** The key by which a tool knows a call; it stays the same in every try (R13). */
export function idempotencyKey(turnId: string, { round, id }: Pick<ToolCall, 'round' | 'id'>): string {
  return `${turnId}.${round}.${id}`;
}

/** So many equal calls in a row, by name and arguments, are a loop. */
export const MAX_SAME_CALLS = 10;

/**
 * Whether a call repeats the calls right before it, of earlier rounds or of the `siblings` before it, often enough to be a
 * loop. It is answered with a note instead of being run, and the turn's final round follows.
 */
export function isLooping(
  { rounds }: Pick<Turn, 'rounds'>,
  call: RequestedCall & { round: number; index: number },
  siblings: RequestedCall[] = rounds.find((round) => round.number === call.round)?.calls ?? [],
): boolean {
  const earlier = rounds.filter((round) => round.number < call.round).flatMap((round) => round.calls);
  const before = [...earlier, ...siblings.slice(0, call.index)].slice(1 - MAX_SAME_CALLS);
  if (before.length < MAX_SAME_CALLS - 1 || before.some(({ name }) => name !== call.name)) return false;
  const same = canonicalArguments(call.arguments);
  return before.every((earlierCall) => canonicalArguments(earlierCall.arguments) === same);
}

/** A call's arguments in one spelling, so that calls that mean the same are equal. An empty text means no arguments. */
export function canonicalArguments(text: string): string {
  return canonicalJson(text || '{}');
}
