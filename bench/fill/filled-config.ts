import { fillLimits } from '#core/turn/limits.ts';
import tools from '../tools.ts';
import { MODEL } from '../work.ts';

/** The configuration of a turn as Pawl stores it, every default filled in. */
export const filledConfig = JSON.parse(
  JSON.stringify({
    ...{ model: `openai/${MODEL}`, instructions: null, tools: tools.map(({ definition }) => definition) },
    ...{ tool_choice: 'auto', tool_mode: 'native', parallel_tool_calls: null },
    ...{ temperature: null, top_p: null, reasoning_effort: null, verbosity: null, max_output_tokens: null },
    limits: fillLimits(null),
    ...{ allowed_capabilities: null, provider_options: {}, webhook: null },
  }),
);
