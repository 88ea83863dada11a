import { declareTools } from '#core/llm/declare-tools.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { splitModel } from '#core/llm/split-model.ts';
import type { Message } from '#core/turn/message.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { RoundStep } from './jobs/run-round.ts';

/**
 * What one round asks the model. A demanded tool is demanded in the first round only; a final round offers none
 * (contract: Turn request).
 */
export function askedOf({ id, config, work }: Turn, { round, final }: RoundStep, messages: Message[]): RoundRequest {
  const { tool_choice: choice } = config;
  return {
    round,
    model: splitModel(config.model).model,
    instructions: config.instructions,
    messages,
    tools: final ? [] : config.tools,
    declaredTools: declareTools(config.tools, messages),
    toolChoice: round === 1 || choice === 'none' ? choice : 'auto',
    parallelToolCalls: config.parallel_tool_calls,
    temperature: config.temperature,
    maxOutputTokens: config.max_output_tokens,
    providerOptions: config.provider_options,
    requestId: `${id}.${round}.${work.ring}`,
  };
}
