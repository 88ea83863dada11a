import type { FinishReason } from '../../turn/reply.ts';

const REASONS = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  // Only a reply that paused more often than it may be resumed comes here: what there is of it is cut.
  ['pause_turn', 'length'],
  ['refusal', 'refusal'],
]);

/** Why the model stopped, in our words: total over whatever a server says, with the calls as the witness. */
export function mapStopReason(raw: string | null, hasCalls: boolean): FinishReason {
  const reason = REASONS.get(raw ?? 'end_turn') ?? 'other';
  const isDone = reason === 'stop' || reason === 'tool_calls' || raw === 'pause_turn';
  if (isDone && hasCalls) return 'tool_calls';
  return reason === 'tool_calls' ? 'stop' : reason;
}
