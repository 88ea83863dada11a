import type { Usage } from '../../turn/reply.ts';
import { countIn, fieldsIn, wordIn } from '../reply/fields.ts';
import { usageOf } from '../reply/usage-of.ts';

/** The counts from a server. An omitted count is missing. */
export type WireUsage = { [Name in (typeof COUNTS)[number]]?: number } & {
  ephemeral_1h_input_tokens?: number;
  thinking_tokens?: number;
  /** The tier that the server reports. */
  service_tier?: string;
};

const COUNTS = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'] as const;

export function readCounts(value: unknown): WireUsage | null {
  const usage = fieldsIn(value);
  if (!usage) return null;
  const counts: WireUsage = {};
  for (const name of COUNTS) {
    const count = countIn(usage[name]);
    if (count !== null) counts[name] = count;
  }
  const longer = countIn(fieldsIn(usage.cache_creation)?.ephemeral_1h_input_tokens);
  const tier = wordIn(usage.service_tier);
  const thinking = countIn(fieldsIn(usage.output_tokens_details)?.thinking_tokens);
  return {
    ...counts,
    ...(longer === null ? {} : { ephemeral_1h_input_tokens: longer }),
    ...(thinking === null ? {} : { thinking_tokens: thinking }),
    ...(tier === null ? {} : { service_tier: tier }),
  };
}

/** Returns Anthropic's counts as usage, or null if there are none. Anthropic's input excludes cached tokens. */
export function readUsage(usage: WireUsage | null): Usage | null {
  if (typeof usage?.input_tokens !== 'number' && typeof usage?.output_tokens !== 'number') return null;
  const { cache_read_input_tokens: cached = 0, cache_creation_input_tokens: written = 0 } = usage;
  const { input_tokens: fresh = 0, output_tokens: output = 0 } = usage;
  const { ephemeral_1h_input_tokens: longer = 0, thinking_tokens: reasoning = 0 } = usage;
  return usageOf({ input: fresh + written + cached, output, cached, written, longer, reasoning });
}
