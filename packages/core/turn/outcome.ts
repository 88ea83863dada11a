import type { Final } from './reached-limit.ts';
import type { Reply } from './reply.ts';
import type { IncompleteReason } from './turn.ts';

/** What a reply means for its turn: more work, or the end with the text as answer. */
export type Outcome =
  | { kind: 'calls' }
  | { kind: 'completed'; output: string }
  | { kind: 'incomplete'; reason: IncompleteReason; output: string };

/**
 * Judges a reply. A cut or filtered reply ends the turn with the text there is; its calls may be half a call and
 * are never run. `final` is what made this the last round (contract: Turn, finish reasons): an answer after a call that was
 * repeated for ever is an answer like any other, but none is there where the model only wanted to go on.
 */
export function outcomeOf(reply: Reply, final: Final | null): Outcome {
  const output = reply.text ?? '';
  if (reply.finishReason === 'length') return { kind: 'incomplete', reason: 'max_output_tokens', output };
  if (reply.finishReason === 'content_filter' || reply.finishReason === 'refusal') {
    return { kind: 'incomplete', reason: 'content_filter', output };
  }
  if (final === 'repeated_call') {
    return output.trim() ? { kind: 'completed', output } : { kind: 'incomplete', reason: 'max_tool_calls', output };
  }
  if (final) return { kind: 'incomplete', reason: final, output };
  if (reply.calls.length > 0) return { kind: 'calls' };
  return { kind: 'completed', output };
}
