import type { Usage } from '../../turn/reply.ts';
import { countIn, type Fields, fieldsIn } from '../reply/fields.ts';

/**
 * The counts of a provider in our words; null if it counted nothing. Tokens kept for 12 hours are those kept longer.
 */
export function readUsage(usage: Fields | null): Usage | null {
  const given = countIn(usage?.input_tokens);
  const said = countIn(usage?.output_tokens);
  if (!usage || (given === null && said === null)) return null;
  const input = given ?? 0;
  const details = fieldsIn(usage.input_tokens_details);
  const cached = Math.min(countIn(details?.cached_tokens) ?? 0, input);
  const written = Math.min(countIn(details?.cache_write_tokens) ?? 0, input - cached);
  const longer = Math.min(countIn(fieldsIn(details?.cache_write_tokens_details)?.ttl_12h_tokens) ?? 0, written);
  const reasoning = countIn(fieldsIn(usage.output_tokens_details)?.reasoning_tokens) ?? 0;
  // Some servers count reasoning beside the output. The total shows it.
  const output = Math.max(said ?? 0, reasoning, (countIn(usage.total_tokens) ?? 0) - input);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: cached,
    cache_write_tokens: written,
    ...(longer > 0 ? { cache_write_1h_tokens: longer } : {}),
    reasoning_tokens: reasoning,
  };
}
