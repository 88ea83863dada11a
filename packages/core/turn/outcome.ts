import type { Final } from './reached-limit.ts';
import type { Reply } from './reply.ts';
import type { IncompleteReason } from './turn.ts';

/** The effect of a reply on its turn: calls, or the end with the text as answer. */
export type Outcome =
  | { kind: 'calls' }
  | { kind: 'completed'; output: string }
  | { kind: 'incomplete'; reason: IncompleteReason; output: string };

/**
 * Reads a reply. A cut or filtered reply, or an unknown finish reason, ends the turn with its text, and its calls
 * never run. `final` is why the round is the last round. A repair may call no tool.
 */
export function outcomeOf(reply: Reply, final: Final | null, isRepair = false): Outcome {
  const output = reply.text ?? '';
  if (reply.finishReason === 'length') return { kind: 'incomplete', reason: 'max_output_tokens', output };
  if (reply.finishReason === 'content_filter' || reply.finishReason === 'refusal') {
    return { kind: 'incomplete', reason: 'content_filter', output };
  }
  if (reply.finishReason === 'other') return { kind: 'incomplete', reason: 'unknown_finish_reason', output };
  if (final === 'repeated_call') {
    return output.trim() ? { kind: 'completed', output } : { kind: 'incomplete', reason: 'max_tool_calls', output };
  }
  if (final) return { kind: 'incomplete', reason: final, output };
  return reply.calls.length === 0 || isRepair ? { kind: 'completed', output } : { kind: 'calls' };
}
