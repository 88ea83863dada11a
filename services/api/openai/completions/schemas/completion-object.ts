import { z } from '@hono/zod-openapi';

const ID = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const example = 'chatcmpl-01kagz8m4pfvbte2n5q7rys3wx';

/** The id of a chat completion. An impossible one is answered like an unknown one. */
export const CompletionId = z.string().meta({
  description: 'The id of a chat completion: that of its turn, with `chatcmpl-`.',
  pattern: `^chatcmpl-${ID}$`,
  examples: [example],
});

const tokens = (about: string) => z.int().min(0).describe(about);

const Call = z
  .object({
    id: z.string().describe('The id of the call.'),
    type: z.enum(['function', 'custom']).describe('Which kind of tool it calls.'),
    function: z
      .object({ name: z.string().describe('The function.'), arguments: z.string().describe('Its arguments, as JSON.') })
      .optional()
      .describe('Of a function.'),
    custom: z
      .object({ name: z.string().describe('The tool.'), input: z.string().describe('Its input.') })
      .optional()
      .describe('Of a custom tool.'),
  })
  .describe('A call that the client answers.');

const FunctionCall = z
  .object({ name: z.string().describe('The function.'), arguments: z.string().describe('Its arguments, as JSON.') })
  .optional()
  .describe('The call, if the request has `functions`.');

const Message = z
  .object({
    role: z.literal('assistant').describe('Always `assistant`.'),
    content: z.string().nullable().describe('The texts of all rounds, joined by a blank line.'),
    refusal: z.string().nullable().describe('The words of a model that refused.'),
    annotations: z.array(z.unknown()).describe('None.'),
    reasoning_content: z.string().optional().describe('The reasoning, if the provider shows it.'),
    tool_calls: z.array(Call).optional().describe('The calls that the client answers.'),
    function_call: FunctionCall,
  })
  .describe('The answer.');

const Finish = z
  .enum(['stop', 'length', 'tool_calls', 'function_call', 'content_filter'])
  .nullable()
  .describe('Why it ended; null until then.');

const Usage = z
  .object({
    prompt_tokens: tokens('Tokens of all requests to the model, cached ones included.'),
    completion_tokens: tokens('Tokens of all replies, reasoning included.'),
    total_tokens: tokens('Both together.'),
    prompt_tokens_details: z
      .object({
        cached_tokens: tokens('Input tokens read from a cache.'),
        cache_write_tokens: tokens('Input tokens written to a cache.'),
        audio_tokens: tokens('Always 0.'),
      })
      .describe('The input tokens by kind.'),
    completion_tokens_details: z
      .object({
        reasoning_tokens: tokens('Reasoning tokens.'),
        audio_tokens: tokens('Always 0.'),
        accepted_prediction_tokens: tokens('Always 0.'),
        rejected_prediction_tokens: tokens('Always 0.'),
      })
      .describe('The output tokens by kind.'),
  })
  .describe('The tokens of all rounds together.');

const head = {
  id: CompletionId,
  created: z.int().describe('When it was created, in Unix seconds.'),
  model: z.string().describe('The model, as it was named.'),
  service_tier: z.string().describe('The tier that the provider reported, or `default`.'),
  system_fingerprint: z.null().describe('Always null.'),
};
const headExample = {
  ...{ id: example, created: 1_763_632_800, model: 'sim/demo', service_tier: 'default', system_fingerprint: null },
};
const usageExample = {
  ...{ prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 },
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    ...{ reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  },
};
const completionExample = {
  ...headExample,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello, Ada.', refusal: null, annotations: [] },
      ...{ logprobs: null, finish_reason: 'stop' },
    },
  ],
  ...{ usage: usageExample, metadata: {} },
};

/** A chat completion (contract-responses R85). */
export const CompletionObject = z
  .object({
    ...head,
    object: z.literal('chat.completion').describe('Always `chat.completion`.'),
    choices: z
      .array(
        z.object({
          index: z.literal(0).describe('Always 0.'),
          message: Message,
          logprobs: z.null().describe('Always null.'),
          finish_reason: Finish,
        }),
      )
      .describe('The answer; none of a completion that failed.'),
    usage: Usage.nullable().describe('Null until the end.'),
    metadata: z.record(z.string(), z.string()).describe('The pairs that its client gave it.'),
    error: z
      .object({
        message: z.string().describe('Why it failed.'),
        type: z.string().describe('The kind of error.'),
        param: z.null().describe('Always null.'),
        code: z.string().describe('The code of the turn’s error.'),
      })
      .optional()
      .describe('Only in lists, of a completion that failed.'),
  })
  .meta({ id: 'CompletionObject', description: 'A chat completion.', examples: [completionExample] });

/** One chunk of a completion's stream (contract-responses R86). */
export const CompletionChunk = z
  .object({
    ...head,
    object: z.literal('chat.completion.chunk').describe('Always `chat.completion.chunk`.'),
    choices: z
      .array(
        z.object({
          index: z.literal(0).describe('Always 0.'),
          delta: z
            .object({
              role: z.literal('assistant').optional().describe('In the first chunk.'),
              content: z.string().optional().describe('Text that follows.'),
              reasoning_content: z.string().optional().describe('Reasoning that follows.'),
              refusal: z.string().optional().describe('Words of a refusal that follow.'),
              tool_calls: z
                .array(Call.extend({ index: z.int().describe('Its place among the calls.') }))
                .optional()
                .describe('A whole call.'),
              function_call: FunctionCall,
            })
            .describe('The fields that the chunk adds to the message.'),
          logprobs: z.null().describe('Always null.'),
          finish_reason: Finish,
        }),
      )
      .describe('One; none in the chunk of the usage.'),
    usage: Usage.nullable().optional().describe('In the last chunk, if it was asked for; null in the others then.'),
  })
  .meta({
    id: 'CompletionChunk',
    description: 'A chunk of a chat completion. After the last one comes `[DONE]`.',
    examples: [
      {
        ...headExample,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: { content: 'Hello' }, logprobs: null, finish_reason: null }],
      },
    ],
  });

/** The answer to a delete. */
export const DeletedCompletion = z
  .object({
    id: CompletionId,
    object: z.literal('chat.completion.deleted').describe('Always `chat.completion.deleted`.'),
    deleted: z.literal(true).describe('Always true.'),
  })
  .meta({
    id: 'DeletedCompletion',
    description: 'A deleted chat completion.',
    examples: [{ id: example, object: 'chat.completion.deleted', deleted: true }],
  });

const listFields = {
  object: z.literal('list').describe('Always `list`.'),
  first_id: z.string().nullable().describe('The id of the first; null of an empty page.'),
  last_id: z.string().nullable().describe('The `after` of the next page.'),
  has_more: z.boolean().describe('Whether there are more.'),
};

/** A page of completions. */
export const CompletionList = z
  .object({ ...listFields, data: z.array(CompletionObject).describe('The completions.') })
  .meta({
    id: 'CompletionList',
    description: 'A page of chat completions.',
    examples: [{ object: 'list', data: [completionExample], first_id: example, last_id: example, has_more: false }],
  });

const StoredMessage = z
  .object({
    id: z.string().describe('The id of the message: that of the completion, and its place.'),
    role: z.string().describe('Who wrote it.'),
    content: z.string().nullable().describe('Its text.'),
    content_parts: z.array(z.record(z.string(), z.unknown())).nullable().describe('Its parts, if it has any.'),
    name: z.string().nullable().describe('The function, of its result in the older form.'),
    tool_calls: z.array(Call).optional().describe('Calls of the model.'),
    function_call: FunctionCall,
    tool_call_id: z.string().optional().describe('The call that a result answers.'),
  })
  .describe('A message of the request.');

/** A page of the messages of a request. */
export const MessageList = z.object({ ...listFields, data: z.array(StoredMessage).describe('The messages.') }).meta({
  id: 'CompletionMessageList',
  description: 'A page of the messages that a chat completion was created with.',
  examples: [
    {
      object: 'list',
      data: [{ id: `${example}-0`, role: 'user', content: 'Say hello to Ada.', content_parts: null, name: null }],
      ...{ first_id: `${example}-0`, last_id: `${example}-0`, has_more: false },
    },
  ],
});
