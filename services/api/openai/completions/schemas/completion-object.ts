import { z } from '@hono/zod-openapi';
import { CompletionAnnotation } from './completion-annotation.ts';

const ID = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const example = 'chatcmpl-01kagz8m4pfvbte2n5q7rys3wx';

/** The id of a chat completion. An impossible id is answered like an unknown id. */
export const CompletionId = z.string().meta({
  description: 'The id of a chat completion: the id of its turn, with the prefix `chatcmpl-`.',
  pattern: `^chatcmpl-${ID}$`,
  examples: [example],
});

const tokens = (about: string) => z.int().min(0).describe(about);

const Call = z
  .object({
    id: z.string().describe('The id of the call.'),
    type: z.enum(['function', 'custom']).describe('The kind of tool that the call is for.'),
    function: z
      .object({
        name: z.string().describe('The name of the function.'),
        arguments: z.string().describe('The arguments, as JSON.'),
      })
      .optional()
      .describe('Of a function.'),
    custom: z
      .object({
        name: z.string().describe('The name of the tool.'),
        input: z.string().describe('The input of the tool.'),
      })
      .optional()
      .describe('The call of a custom tool.'),
  })
  .describe('A call that the client answers.');

const FunctionCall = z
  .object({
    name: z.string().describe('The name of the function.'),
    arguments: z.string().describe('The arguments, as JSON.'),
  })
  .optional()
  .describe('The call, if the request has `functions`.');

const Message = z
  .object({
    role: z.literal('assistant').describe('Always `assistant`.'),
    content: z.string().nullable().describe('The texts of all rounds, joined by a blank line.'),
    refusal: z.string().nullable().describe('The text of a refusal by the model.'),
    annotations: z.array(CompletionAnnotation).describe('The sources on the web of the content.'),
    reasoning_content: z.string().optional().describe('The reasoning, if the provider shows it.'),
    tool_calls: z.array(Call).optional().describe('The calls that the client answers.'),
    function_call: FunctionCall,
  })
  .describe('The answer.');

const Finish = z
  .enum(['stop', 'length', 'tool_calls', 'function_call', 'content_filter'])
  .nullable()
  .describe('The reason why the completion ended. Null before its end.');

const Usage = z
  .object({
    prompt_tokens: tokens('Tokens of all requests to the model, including cached tokens.'),
    completion_tokens: tokens('Tokens of all replies, including reasoning tokens.'),
    total_tokens: tokens('The sum of prompt and completion tokens.'),
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
  created: z.int().describe('The time of creation, in Unix seconds.'),
  model: z.string().describe('The model, as the request named it.'),
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

/** A chat completion. */
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
      .describe('The answer. Empty for a failed completion.'),
    usage: Usage.nullable().describe('The usage. Null before the end.'),
    metadata: z.record(z.string(), z.string()).describe('Key-value pairs that the client stores with the completion.'),
    error: z
      .object({
        message: z.string().describe('A sentence about the failure.'),
        type: z.string().describe('The kind of error.'),
        param: z.null().describe('Always null.'),
        code: z.string().describe('The code of the turn’s error.'),
      })
      .optional()
      .describe('The error of a failed completion. Present only in lists.'),
  })
  .meta({ id: 'CompletionObject', description: 'A chat completion.', examples: [completionExample] });

/** A chunk of a completion's stream. */
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
              role: z.literal('assistant').optional().describe('The role. Present in the first chunk.'),
              content: z.string().optional().describe('The next part of the text.'),
              reasoning_content: z.string().optional().describe('The next part of the reasoning.'),
              refusal: z.string().optional().describe('The next part of a refusal.'),
              tool_calls: z
                .array(Call.extend({ index: z.int().describe('The position of the call among the calls.') }))
                .optional()
                .describe('A complete call.'),
              function_call: FunctionCall,
            })
            .describe('The fields that the chunk adds to the message.'),
          logprobs: z.null().describe('Always null.'),
          finish_reason: Finish,
        }),
      )
      .describe('A single choice. Empty in the chunk with the usage.'),
    usage: Usage.nullable()
      .optional()
      .describe('The usage, in the last chunk if the request asked for it. Null in the other chunks of that stream.'),
  })
  .meta({
    id: 'CompletionChunk',
    description: 'A chunk of a chat completion. `[DONE]` follows the last chunk.',
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
  first_id: z.string().nullable().describe('The id of the first completion. Null for an empty page.'),
  last_id: z.string().nullable().describe('The id of the last completion: the `after` of the next page.'),
  has_more: z.boolean().describe('Whether another page follows.'),
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
    id: z.string().describe('The id of the message: the id of the completion, and the position of the message.'),
    role: z.string().describe('The role of the author.'),
    content: z.string().nullable().describe('The text of the message.'),
    content_parts: z
      .array(z.record(z.string(), z.unknown()))
      .nullable()
      .describe('The parts of the message, if it has parts.'),
    name: z.string().nullable().describe('The name of the function, for a result in the older form.'),
    tool_calls: z.array(Call).optional().describe('The calls of the model.'),
    function_call: FunctionCall,
    tool_call_id: z.string().optional().describe('The id of the call that this result answers.'),
  })
  .describe('A message of the request.');

/** A page of the messages of a request. */
export const MessageList = z.object({ ...listFields, data: z.array(StoredMessage).describe('The messages.') }).meta({
  id: 'CompletionMessageList',
  description: 'A page of the messages in the request of a chat completion.',
  examples: [
    {
      object: 'list',
      data: [{ id: `${example}-0`, role: 'user', content: 'Say hello to Ada.', content_parts: null, name: null }],
      ...{ first_id: `${example}-0`, last_id: `${example}-0`, has_more: false },
    },
  ],
});
