import type { SimulatedReply } from './reply.ts';
import type { ScriptedUsage } from './script.ts';

const CHARS_PER_TOKEN = 4;

/** Estimates tokens from the length of the request and of the reply, as a vendor might count them. */
export function estimateUsage(requestLength: number, reply: Omit<SimulatedReply, 'usage'>): ScriptedUsage {
  const calls = reply.calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
  const reasoning = tokensOf(reply.reasoning.length);
  const prompt = tokensOf(requestLength);
  const completion = reasoning + tokensOf((reply.text?.length ?? 0) + (reply.refusal?.length ?? 0) + calls);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

export function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
