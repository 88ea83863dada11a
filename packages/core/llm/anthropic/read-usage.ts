import type { Usage } from '../../turn/usage.ts';
import type { WireUsage } from './event.ts';

/** The count at the start of a message with the later, cumulative one over it. */
export function joinUsage(early: WireUsage | null, late: WireUsage): WireUsage {
  const told = Object.entries(late).filter(([, value]) => value !== null && value !== undefined);
  return { ...early, ...Object.fromEntries(told) };
}

/** Anthropic's count in our words, or null where it counted nothing: it counts cached input apart, we do not. */
export function readUsage(usage: WireUsage | null): Usage | null {
  if (typeof usage?.input_tokens !== 'number' && typeof usage?.output_tokens !== 'number') return null;
  const cached = usage.cache_read_input_tokens ?? 0;
  const input = (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + cached;
  const output = usage.output_tokens ?? 0;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: cached,
    reasoning_tokens: Math.min(usage.output_tokens_details?.thinking_tokens ?? 0, output),
  };
}
