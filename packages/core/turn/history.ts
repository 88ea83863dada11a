import type { Message } from './message.ts';
import { iso, presentRound } from './present-turn.ts';
import { transcriptOf } from './transcript.ts';
import type { Turn } from './turn.ts';

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

/**
 * The same, expanded as OpenAI's wire has it: the system prompt first, text before the calls, the calls, the results,
 * each a message of its own.
 */
export function openaiHistory(turns: Turn[], instructions: string | null = null): Record<string, unknown>[] {
  const system = instructions ? [{ role: 'system', content: instructions }] : [];
  return [...system, ...transcriptOf(turns).flatMap(openaiMessages)];
}

function openaiMessages(message: Message): Record<string, unknown>[] {
  if (message.role === 'tool') return [{ role: 'tool', tool_call_id: message.callId, content: message.content }];
  if (message.role !== 'assistant') return [{ role: message.role, content: message.content }];
  const tool_calls = message.calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  return [
    ...(message.content ? [{ role: 'assistant', content: message.content }] : []),
    ...(tool_calls.length > 0 ? [{ role: 'assistant', tool_calls }] : []),
  ];
}
