import { z } from '@hono/zod-openapi';
import { hints, ResponseBody, refused } from '../response-body.ts';
import { ResponseId, Usage } from '../schemas/response-object.ts';

const { model, input, instructions, previous_response_id, service_tier } = ResponseBody.shape;
const { prompt_cache_key, prompt_cache_retention, prompt_cache_options } = hints;

/** The body of `POST /v1/responses/compact`. */
export const CompactBody = z
  .strictObject({
    model,
    input: input.nullish().describe('The history, or its part after `previous_response_id`: a text, or items.'),
    instructions,
    previous_response_id: previous_response_id.describe(
      'The response whose history is compacted, including its output.',
    ),
    service_tier,
    ...{ prompt_cache_key, prompt_cache_retention, prompt_cache_options },
    image: refused('Put images into `input`.'),
  })
  .meta({
    id: 'CompactBody',
    description: 'The request to compact a history, in OpenAI’s shape.',
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

const id = z.string().describe('The id of the item.');

const UserMessage = z.object({
  ...{ id, type: z.literal('message'), role: z.literal('user') },
  status: z.literal('completed'),
  content: z
    .array(z.looseObject({ type: z.string().describe('`input_text`, `input_image` or `input_file`.') }))
    .describe('The parts of the message.'),
});

const Compaction = z.object({
  ...{ id, type: z.literal('compaction') },
  encrypted_content: z.string().describe('The summary of the history, sealed for this project.'),
});

/** A compacted history in OpenAI's shape. */
export const CompactionObject = z
  .object({
    id: ResponseId,
    object: z.literal('response.compaction'),
    created_at: z.int().describe('The time of the request, in Unix seconds.'),
    output: z
      .array(z.discriminatedUnion('type', [UserMessage, Compaction]))
      .describe('All messages of the user, and one `compaction`. Put them at the start of the next `input`.'),
    usage: Usage.describe('The tokens used for the summary.'),
  })
  .meta({
    id: 'ResponseCompaction',
    description: 'A compacted history: the messages of the user, and a sealed summary.',
    examples: [
      {
        ...{ id: 'resp_01kagz8m4pfvbte2n5q7rys3wx', object: 'response.compaction', created_at: 1_795_392_000 },
        output: [
          {
            ...{ id: 'msg_01kagz8m4pfvbte2n5q7rys3wx_i0', type: 'message', role: 'user', status: 'completed' },
            content: [{ type: 'input_text', text: 'I am Ada.' }],
          },
          { id: 'cmp_01kagz8m4pfvbte2n5q7rys3wx_r1', type: 'compaction', encrypted_content: 'pawl1.c2VhbGVk' },
        ],
        usage: {
          ...{ input_tokens: 120, input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } },
          ...{ output_tokens: 30, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 150 },
        },
      },
    ],
  });
