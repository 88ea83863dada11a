import type { Usage } from '../../turn/usage.ts';
import type { WireUsage } from './chunk.ts';

/** A provider's count in our words; null where it counted nothing. */
export function readUsage(usage: WireUsage): Usage | null {
  if (typeof usage.prompt_tokens !== 'number' && typeof usage.completion_tokens !== 'number') return null;
  const input = usage.prompt_tokens ?? 0;
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? usage.reasoning_tokens ?? 0;
  const output = outputTokens(usage, input, reasoning);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: Math.min(cached, input),
    reasoning_tokens: reasoning,
  };
}

/**
 * xAI counts reasoning beside the completion, Gemini only in the total, others inside the completion.
 * The total tells which; where it does not, reasoning that exceeds the completion cannot be a part of it.
 */
function outputTokens(usage: WireUsage, input: number, reasoning: number): number {
  const told = usage.completion_tokens ?? 0;
  const apart = reasoning > told ? told + reasoning : told;
  return Math.max(apart, (usage.total_tokens ?? 0) - input);
}
