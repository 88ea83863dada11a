import type { FinishReason } from '../../turn/reply.ts';

const REASONS = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['complete', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['tool_call', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
  ['refusal', 'refusal'],
]);

/** Why the model stopped, in our words: total over whatever a server says, with the reply's content as the witness. */
export function mapFinishReason(raw: string | null, seen: { calls: boolean; refused: boolean }): FinishReason {
  const reason = REASONS.get((raw ?? 'stop').toLowerCase()) ?? 'other';
  if (reason !== 'stop' && reason !== 'tool_calls') return reason;
  if (seen.refused) return 'refusal';
  // Some servers say `stop` beside calls (a forced tool choice), some `tool_calls` beside plain text.
  return seen.calls ? 'tool_calls' : 'stop';
}
