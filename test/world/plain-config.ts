import type { TurnConfig } from '#core/turn/turn-request.ts';

/** How a turn is worked that asks for nothing in particular. */
export const plainConfig: TurnConfig = {
  model: 'openai/test',
  instructions: null,
  tools: [],
  tool_choice: 'auto',
  tool_mode: 'native',
  parallel_tool_calls: null,
  temperature: null,
  max_output_tokens: null,
  limits: { max_rounds: 50, max_tool_calls: 200, max_total_tokens: null, deadline_seconds: null },
  allowed_capabilities: null,
  provider_options: {},
  webhook: null,
};
