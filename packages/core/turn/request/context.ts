import { z } from 'zod';
import { wholeNumber } from './json.ts';
import { ModelName } from './model-name.ts';

/** Below this a summary and the rounds that are kept have no room. */
const MIN_INPUT_TOKENS = 1_000;

/** What is sent of a history that grows too long, as callers ask for it (contract-more: Compaction). */
export const Context = z.strictObject({
  strategy: z
    .enum(['none', 'summarize', 'drop_tool_results'])
    .describe(
      'What becomes of older rounds: nothing, a summary stands for them, or a note for the results of their calls.',
    ),
  max_input_tokens: z
    .int()
    .min(MIN_INPUT_TOKENS)
    .nullish()
    .describe('Done before a request that would be larger, by estimate. By default once the provider refuses it.'),
  keep_last_rounds: wholeNumber(1, 1_000).describe(
    'How many of the last rounds, of whichever turns, are sent as they are. 4 by default.',
  ),
  model: ModelName.nullish().describe('The model that writes summaries. The turn’s own by default.'),
});
