import { z } from 'zod';
import { wholeNumber } from './json.ts';
import { ModelName } from './model-name.ts';

/** The minimum that has room for a summary and the kept rounds. */
const MIN_INPUT_TOKENS = 1_000;

/** How to shorten a long history, as callers request it. */
export const Context = z.strictObject({
  strategy: z
    .enum(['none', 'summarize', 'drop_tool_results'])
    .describe(
      'How older rounds are shortened: not at all (`none`), by a summary (`summarize`), or by a note in place of each tool result (`drop_tool_results`).',
    ),
  max_input_tokens: z
    .int()
    .min(MIN_INPUT_TOKENS)
    .nullish()
    .describe(
      'The estimated tokens of a request above which its history is shortened. By default Pawl waits until the provider refuses the request.',
    ),
  keep_last_rounds: wholeNumber(1, 1_000).describe(
    'The number of last rounds that are never shortened, across turns. 4 by default.',
  ),
  model: ModelName.nullish().describe('The model that writes summaries. By default the model of the turn.'),
});
