import { fillLimits } from '#core/turn/limits.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';

/** The configuration of a turn if the request sets only the model. */
export const plainConfig: TurnConfig = {
  model: 'openai/test',
  instructions: null,
  tools: [],
  tool_choice: 'auto',
  tool_mode: 'native',
  parallel_tool_calls: null,
  temperature: null,
  top_p: null,
  reasoning_effort: null,
  verbosity: null,
  max_output_tokens: null,
  limits: fillLimits(null),
  allowed_capabilities: null,
  provider_options: {},
  webhook: null,
};
