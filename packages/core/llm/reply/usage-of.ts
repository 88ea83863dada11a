import type { Usage } from '../../turn/reply.ts';

/** The counts of a wire. Input includes cached and newly cached tokens, output includes reasoning. */
type Counts = { input: number; output: number; cached?: number; written?: number; longer?: number; reasoning?: number };

/**
 * Returns usage. A count that is a part of another count is at most as large. `longer` is cached for an hour or more.
 */
export function usageOf({ input, output, cached = 0, written = 0, longer = 0, reasoning = 0 }: Counts): Usage {
  const read = Math.min(cached, input);
  const newlyWritten = Math.min(written, input - read);
  const keptLonger = Math.min(longer, newlyWritten);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: read,
    cache_write_tokens: newlyWritten,
    ...(keptLonger > 0 ? { cache_write_1h_tokens: keptLonger } : {}),
    reasoning_tokens: Math.min(reasoning, output),
  };
}
