import { z } from 'zod';
import { hints, ResponseBody, refused } from '../response-body.ts';

const { model, input, instructions, previous_response_id, service_tier } = ResponseBody.shape;
const { prompt_cache_key, prompt_cache_retention, prompt_cache_options } = hints;

/** `POST /v1/responses/compact` (contract-responses R71). */
export const CompactBody = z
  .strictObject({
    model,
    input: input.nullish().describe('The history, or its part after `previous_response_id`: a text, or items.'),
    instructions,
    previous_response_id: previous_response_id.describe('The response whose history is compacted, with its output.'),
    service_tier,
    ...{ prompt_cache_key, prompt_cache_retention, prompt_cache_options },
    image: refused('Images belong in `input`.'),
  })
  .meta({
    id: 'CompactBody',
    description: 'A history to be compacted, as OpenAI’s API has it.',
    examples: [
      {
        model: 'sim/demo',
        input: [
          { role: 'user', content: 'I am Ada.' },
          { role: 'assistant', content: 'Hello, Ada.' },
        ],
      },
      { model: 'sim/demo', input: 'I am Ada.', instructions: 'Be brief.' },
    ],
  });
export type CompactBody = z.output<typeof CompactBody>;
