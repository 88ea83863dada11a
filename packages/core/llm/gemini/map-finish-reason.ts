import type { FinishReason } from '../../turn/reply.ts';

const REASONS = new Map<string, FinishReason>([
  ['STOP', 'stop'],
  // The model called a tool that was not declared: the call is there, and its answer tells the model so.
  ['UNEXPECTED_TOOL_CALL', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['MODEL_ARMOR', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
]);

/** Why the model stopped, in our words: total over whatever Gemini says. It has no word for stopping at calls. */
export function mapFinishReason(raw: string, seen: { calls: boolean }): FinishReason {
  const reason = REASONS.get(raw) ?? 'other';
  return reason === 'stop' && seen.calls ? 'tool_calls' : reason;
}
