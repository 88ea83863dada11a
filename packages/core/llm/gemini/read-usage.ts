import type { Usage } from '../../turn/usage.ts';
import type { WireUsage } from './chunk.ts';

/** Gemini's count in our words: thoughts stand beside the candidates there; null where it counted nothing. */
export function readUsage(usage: WireUsage): Usage | null {
  const { promptTokenCount: prompt, candidatesTokenCount: candidates, thoughtsTokenCount: thoughts } = usage;
  if (typeof prompt !== 'number' && typeof candidates !== 'number') return null;
  const input = (prompt ?? 0) + (usage.toolUsePromptTokenCount ?? 0);
  const output = (candidates ?? 0) + (thoughts ?? 0);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: Math.min(usage.cachedContentTokenCount ?? 0, input),
    reasoning_tokens: thoughts ?? 0,
  };
}
