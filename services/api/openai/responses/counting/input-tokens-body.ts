import { z } from 'zod';
import { ResponseBody } from '../response-body.ts';

const { model, input, instructions, previous_response_id, conversation, tools, tool_choice } = ResponseBody.shape;
const { parallel_tool_calls, reasoning, text, truncation } = ResponseBody.shape;

/** The fields of a create request that make up its input (contract-responses R72). */
export const InputTokensBody = z
  .strictObject({
    model: model.nullish(),
    input: input.nullish(),
    ...{ instructions, previous_response_id, conversation, tools, tool_choice },
    ...{ parallel_tool_calls, reasoning, text, truncation },
    personality: z.string().nullish().describe('A hint.'),
  })
  .meta({
    id: 'InputTokensBody',
    description: 'The input of a response whose tokens are to be estimated. All fields are optional.',
    examples: [
      { model: 'sim/demo', input: 'Say hello to Ada.' },
      { instructions: 'Be brief.', input: [{ role: 'user', content: 'And now?' }] },
    ],
  });
export type InputTokensBody = z.output<typeof InputTokensBody>;
