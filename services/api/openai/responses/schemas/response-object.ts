import { z } from '@hono/zod-openapi';
import { RESPONSE_STATUSES } from '#core/turn/responses/status.ts';
import { OutputItem } from './output-item.ts';

const ID = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const example = 'resp_01kagz8m4pfvbte2n5q7rys3wx';

/** The id of a response. An impossible one is answered like an unknown one. */
export const ResponseId = z.string().meta({
  description: 'The id of a response: that of its turn, with `resp_`.',
  pattern: `^resp_${ID}$`,
  examples: [example],
});

const seconds = (what: string) => z.int().describe(`${what}, in Unix seconds.`);
const tokens = (what: string) => z.int().min(0).describe(what);
const anyOf = z.record(z.string(), z.unknown());

/** The tokens that a response used. */
export const Usage = z
  .object({
    input_tokens: tokens('Tokens of all requests, cached ones included.'),
    input_tokens_details: z
      .object({
        cached_tokens: tokens('Those read from a cache.'),
        cache_write_tokens: tokens('Those written to a cache.'),
      })
      .describe('What they were.'),
    output_tokens: tokens('Tokens of all replies, reasoning included.'),
    output_tokens_details: z.object({ reasoning_tokens: tokens('Those of reasoning.') }).describe('What they were.'),
    total_tokens: tokens('Both together.'),
  })
  .describe('What the rounds used together; null until the end.');

const asked = {
  model: z.string().describe('The model, as it was named.'),
  previous_response_id: z.string().nullable().describe('What it stands on.'),
  conversation: z
    .object({ id: z.string().describe('Its id.') })
    .nullable()
    .describe('The conversation that was named.'),
  instructions: z.string().nullable().describe('The system prompt; the next response does not inherit it.'),
  tools: z.array(anyOf).describe('The tools, as they were given.'),
  tool_choice: z.unknown().describe('What was asked of the calls.'),
  parallel_tool_calls: z.boolean().describe('Whether a reply may ask for several calls.'),
  max_tool_calls: z.int().nullable().describe('How many calls Pawl runs at most.'),
  max_output_tokens: z.int().nullable().describe('Tokens of all replies together, at most.'),
  temperature: z.number().describe('As given, or 1.'),
  top_p: z.number().describe('As given, or 1.'),
  presence_penalty: z.number().describe('As given, or 0.'),
  frequency_penalty: z.number().describe('As given, or 0.'),
  top_logprobs: z.int().describe('Always 0: log probabilities are not shown.'),
  text: z
    .object({
      format: z.unknown().describe('What the text has to be.'),
      verbosity: z.string().describe('How long it should be.'),
    })
    .describe('How the text was asked for.'),
  reasoning: z
    .object({
      effort: z.string().nullable().describe('How much to think.'),
      summary: z.string().nullable().describe('Whether thoughts are shown.'),
    })
    .describe('How thinking was asked for.'),
  truncation: z.enum(['auto', 'disabled']).describe('Whether a history that is too long is shortened.'),
  background: z.boolean().describe('Whether nobody waits for the answer.'),
  store: z.boolean().describe('Whether it can be asked for later.'),
  service_tier: z
    .string()
    .describe('The tier that the provider reported for the last reply; until then, the tier that was asked for.'),
  metadata: z.record(z.string(), z.string()).describe('What the caller keeps with it.'),
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

/** A response, as OpenAI's clients read it (contract-responses R16). */
export const ResponseObject = z
  .object({
    id: ResponseId,
    object: z.literal('response'),
    created_at: seconds('When it was created'),
    completed_at: z.int().nullable().describe('When it was completed, in Unix seconds; null for all other ends.'),
    status: z.enum(RESPONSE_STATUSES).describe('How it stands; one that its caller waits for is never queued.'),
    error: z
      .object({
        code: z.string().describe('Why, in OpenAI’s words: `rate_limit_exceeded`, `invalid_prompt` or `server_error`.'),
        type: z.string().describe('Why, in Pawl’s word.'),
        message: z.string().describe('Why, in a sentence.'),
      })
      .nullable()
      .describe('Why it failed.'),
    incomplete_details: z
      .object({ reason: z.string().nullable().describe('The limit or the stop.') })
      .nullable()
      .describe('Why it is incomplete.'),
    output: z.array(OutputItem).describe('What was committed so far, round by round.'),
    usage: Usage.nullable(),
    ...asked,
  })
  .meta({ id: 'Response', description: 'A turn as OpenAI’s API shows it.', examples: [shown] });

/** The answer to a delete. */
export const DeletedResponse = z.object({
  id: ResponseId,
  object: z.literal('response'),
  deleted: z.literal(true),
});

/** An item of an input, as lists show it. */
export const ListedInputItem = z
  .looseObject({
    id: z.string().describe('Made of the id of the response and the place in its input.'),
    type: z.string().describe('What the item is.'),
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

/** A page of input items (contract-responses R3). */
export const InputItemList = z.object({
  object: z.literal('list'),
  data: z.array(ListedInputItem).describe('What is on this page.'),
  first_id: z.string().nullable().describe('The first of them.'),
  last_id: z.string().nullable().describe('The last of them: the next page comes `after` it.'),
  has_more: z.boolean().describe('Whether another page follows.'),
});
