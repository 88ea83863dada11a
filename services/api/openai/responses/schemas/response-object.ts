import { z } from '@hono/zod-openapi';
import { RESPONSE_STATUSES } from '#core/turn/responses/status.ts';
import { OutputItem } from './output-item.ts';

const ID = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const example = 'resp_01kagz8m4pfvbte2n5q7rys3wx';

/** The id of a response. An impossible id is answered like an unknown id. */
export const ResponseId = z.string().meta({
  description: 'The id of a response: the id of its turn, with the prefix `resp_`.',
  pattern: `^resp_${ID}$`,
  examples: [example],
});

const seconds = (what: string) => z.int().describe(`${what}, in Unix seconds.`);
const tokens = (what: string) => z.int().min(0).describe(what);
const anyOf = z.record(z.string(), z.unknown());

/** The tokens that a response used. */
export const Usage = z
  .object({
    input_tokens: tokens('Tokens of all requests, including cached tokens.'),
    input_tokens_details: z
      .object({
        cached_tokens: tokens('The tokens read from a cache.'),
        cache_write_tokens: tokens('The tokens written to a cache.'),
      })
      .describe('The input tokens by kind.'),
    output_tokens: tokens('Tokens of all replies, including reasoning tokens.'),
    output_tokens_details: z
      .object({ reasoning_tokens: tokens('The reasoning tokens.') })
      .describe('The output tokens by kind.'),
    total_tokens: tokens('The sum of input and output tokens.'),
  })
  .describe('The usage of all rounds together. Null before the end.');

const asked = {
  model: z.string().describe('The model, as the request named it, or the model of the agent.'),
  prompt: z
    .object({
      id: z.string().describe('The agent, as the request named it.'),
      version: z.string().nullable().describe('The version or label of the request.'),
      variables: z.record(z.string(), z.unknown()).nullable().describe('The variables of the request.'),
    })
    .optional()
    .describe('The agent of the request. Absent without one.'),
  previous_response_id: z.string().nullable().describe('The response that this response is based on.'),
  conversation: z
    .object({ id: z.string().describe('The id of the conversation.') })
    .nullable()
    .describe('The conversation that the request named.'),
  instructions: z.string().nullable().describe('The system prompt. The next response does not inherit it.'),
  tools: z.array(anyOf).describe('The tools, as the request defined them.'),
  tool_choice: z.unknown().describe('The tool choice of the request.'),
  parallel_tool_calls: z.boolean().describe('Whether a reply may request several calls.'),
  max_tool_calls: z.int().nullable().describe('The maximum number of calls that Pawl runs.'),
  max_output_tokens: z.int().nullable().describe('The maximum number of tokens of all replies together.'),
  temperature: z.number().describe('The value of the request, or 1.'),
  top_p: z.number().describe('The value of the request, or 1.'),
  presence_penalty: z.number().describe('The value of the request, or 0.'),
  frequency_penalty: z.number().describe('The value of the request, or 0.'),
  top_logprobs: z.int().describe('Always 0: Pawl does not show log probabilities.'),
  text: z
    .object({
      format: z.unknown().describe('The format of the text.'),
      verbosity: z.string().describe('The verbosity of the text.'),
    })
    .describe('The text options of the request.'),
  reasoning: z
    .object({
      effort: z.string().nullable().describe('The reasoning effort.'),
      summary: z.string().nullable().describe('Whether the reasoning is shown.'),
    })
    .describe('The reasoning options of the request.'),
  truncation: z.enum(['auto', 'disabled']).describe('Whether Pawl shortens a history that is too long.'),
  background: z.boolean().describe('Whether the response runs in the background.'),
  store: z.boolean().describe('Whether later requests can find the response.'),
  service_tier: z
    .string()
    .describe('The tier that the provider reported for the last reply. Until then, the requested tier.'),
  metadata: z.record(z.string(), z.string()).describe('Key-value pairs that the caller stores with the response.'),
  user: z.string().nullable().describe('As given.'),
  safety_identifier: z.string().nullable().describe('As given.'),
  prompt_cache_key: z.string().nullable().describe('As given.'),
};

const shown = {
  ...{ id: example, object: 'response', created_at: 1_795_392_000, completed_at: 1_795_392_002, status: 'completed' },
  ...{ error: null, incomplete_details: null, model: 'sim/demo', previous_response_id: null, conversation: null },
  output: [
    {
      ...{ id: 'msg_01kagz8m4pfvbte2n5q7rys3wx_r1', type: 'message', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: 'Hello, Ada.', annotations: [], logprobs: [] }],
    },
  ],
  usage: {
    ...{ input_tokens: 12, input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } },
    ...{ output_tokens: 4, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 16 },
  },
  ...{ instructions: null, tools: [], tool_choice: 'auto', parallel_tool_calls: true, max_tool_calls: null },
  ...{ max_output_tokens: null, temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 },
  ...{ text: { format: { type: 'text' }, verbosity: 'medium' }, reasoning: { effort: null, summary: null } },
  ...{ truncation: 'disabled', background: false, store: true, service_tier: 'default', metadata: {} },
  ...{ user: null, safety_identifier: null, prompt_cache_key: null },
};

/** A response in OpenAI's shape. */
export const ResponseObject = z
  .object({
    id: ResponseId,
    object: z.literal('response'),
    created_at: seconds('The time of creation'),
    completed_at: z
      .int()
      .nullable()
      .describe('The time when the response was completed, in Unix seconds. Null for other ends.'),
    status: z
      .enum(RESPONSE_STATUSES)
      .describe('The status of the response. A response that its caller waits for is never `queued`.'),
    error: z
      .object({
        code: z
          .string()
          .describe(
            'The code of the error in OpenAI’s API: `rate_limit_exceeded`, `invalid_prompt` or `server_error`.',
          ),
        type: z.string().describe('The code of the error in Pawl’s API.'),
        message: z.string().describe('A sentence about the failure.'),
      })
      .nullable()
      .describe('The error of a failed response.'),
    incomplete_details: z
      .object({ reason: z.string().nullable().describe('The limit or the stop reason.') })
      .nullable()
      .describe('The reason why the response is incomplete.'),
    output: z.array(OutputItem).describe('The committed output of all rounds so far.'),
    usage: Usage.nullable(),
    ...asked,
  })
  .meta({ id: 'Response', description: 'A turn in the shape of OpenAI’s API.', examples: [shown] });

/** The answer to a delete. */
export const DeletedResponse = z.object({
  id: ResponseId,
  object: z.literal('response'),
  deleted: z.literal(true),
});

/** An item of an input, as lists show it. */
export const ListedInputItem = z
  .looseObject({
    id: z.string().describe('The id of the item: the id of the response, and the position in its input.'),
    type: z.string().describe('The type of the item.'),
  })
  .meta({
    id: 'ResponseInputItem',
    description: 'An item of the input, in OpenAI’s shape.',
    examples: [
      {
        ...{ id: 'msg_01kagz8m4pfvbte2n5q7rys3wx_i0', type: 'message', role: 'user', status: 'completed' },
        content: [{ type: 'input_text', text: 'Say hello to Ada.' }],
      },
    ],
  });

/** A page of input items. */
export const InputItemList = z.object({
  object: z.literal('list'),
  data: z.array(ListedInputItem).describe('The items of this page.'),
  first_id: z.string().nullable().describe('The id of the first item.'),
  last_id: z.string().nullable().describe('The id of the last item: the `after` of the next page.'),
  has_more: z.boolean().describe('Whether another page follows.'),
});
