import { z } from 'zod';
import { Json } from '#core/turn/request/json.ts';
import { GivenTool } from '#core/turn/request/tool.ts';
import { TurnRequest } from '#core/turn/request/turn.ts';
import { Effort, hints, pawlFields, ResponseBody, refused, schemaName, Verbosity } from '../responses/response-body.ts';

const { model, prompt, metadata, parallel_tool_calls } = ResponseBody.shape;
const { temperature, top_p, presence_penalty, frequency_penalty } = ResponseBody.shape;

/** A message as callers send it. Its role determines how it is read. */
const GivenMessage = z
  .looseObject({ role: z.string().describe('`system`, `developer`, `user`, `assistant`, `tool` or `function`.') })
  .describe('A message of any role, in OpenAI’s shape.');

const schemaOf = (about: string) => z.record(z.string(), Json).describe(about);

const GivenFunction = z.strictObject({
  name: z.string().describe('The name by which the model calls the function.'),
  description: z.string().nullish().describe('A description for the model.'),
  parameters: schemaOf('The JSON Schema of the arguments.').nullish(),
  strict: z.boolean().nullish().describe('Whether the provider enforces the schema.'),
});

const CustomFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({
    type: z.literal('grammar'),
    grammar: z
      .strictObject({
        syntax: z.enum(['lark', 'regex']).describe('The language of the grammar.'),
        definition: z.string().describe('The grammar.'),
      })
      .describe('The grammar of the input.'),
  }),
]);

const CompletionTool = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('function'), function: GivenFunction.describe('The function.') }),
    z.strictObject({
      type: z.literal('custom'),
      custom: z
        .strictObject({
          name: z.string().describe('The name by which the model calls the tool.'),
          description: z.string().nullish().describe('A description for the model.'),
          format: CustomFormat.nullish().describe('The format of the input. Default: any text.'),
        })
        .describe('A tool whose single argument is free text.'),
    }),
  ])
  .describe('A tool whose calls the client answers.');
export type CompletionTool = z.output<typeof CompletionTool>;

const named = z.object({ name: z.string().describe('The name of the tool.') });
const NamedTool = z.discriminatedUnion('type', [
  z.object({ type: z.literal('function'), function: named.describe('The function.') }),
  z.object({ type: z.literal('custom'), custom: named.describe('The custom tool.') }),
]);

const AllowedTools = z.object({
  type: z.literal('allowed_tools'),
  allowed_tools: z
    .object({
      mode: z.enum(['auto', 'required']).describe('Whether the model must call a tool.'),
      tools: z.array(NamedTool).min(1).describe('The tools that the model may call.'),
    })
    .describe('A restriction of the tools that the model may call.'),
});

const CompletionChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [...NamedTool.options, AllowedTools]),
]);
export type CompletionChoice = z.output<typeof CompletionChoice>;

const tooling = {
  tools: z.array(CompletionTool).max(128).nullish().describe('The tools whose calls the client answers.'),
  tool_choice: CompletionChoice.nullish().describe(
    'Whether the model may (`auto`), must not (`none`) or must (`required`) call a tool, or the tool that it must call.',
  ),
  parallel_tool_calls,
  functions: z
    .array(GivenFunction.omit({ strict: true }))
    .max(128)
    .nullish()
    .describe('The older form of `tools`.'),
  function_call: z
    .union([z.enum(['none', 'auto']), z.strictObject({ name: z.string().describe('The name of the function.') })])
    .nullish()
    .describe('The older form of `tool_choice`.'),
};

const Format = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text') }),
    z.strictObject({ type: z.literal('json_object') }),
    z.strictObject({
      type: z.literal('json_schema'),
      json_schema: z
        .strictObject({
          name: schemaName.describe('The name of the schema.'),
          schema: schemaOf('The JSON Schema of the text.'),
          strict: z.boolean().nullish().describe('Whether the provider enforces the schema.'),
          description: z.string().nullish().describe('A description for the model.'),
        })
        .describe('The schema.'),
    }),
  ])
  .describe('The format of the text of every round.');

const { stop: stops, seed } = TurnRequest.shape;

const sampling = {
  max_completion_tokens: z
    .int()
    .min(1)
    .nullish()
    .describe('The maximum number of output tokens of the whole completion, over all rounds.'),
  max_tokens: z.int().min(1).nullish().describe('The older name of `max_completion_tokens`.'),
  ...{ temperature, top_p, presence_penalty, frequency_penalty },
  logit_bias: z
    .record(z.string(), z.number().min(-100).max(100))
    .nullish()
    .describe('Passed on to the provider over Chat Completions.'),
  stop: z
    .union([z.string().min(1).max(256), stops])
    .nullish()
    .describe('Texts at which the model stops. Passed on to the provider.'),
  seed,
  response_format: Format.nullish(),
  reasoning_effort: Effort.nullish().describe('The reasoning effort. Passed on to the provider.'),
  verbosity: Verbosity.nullish().describe(
    'The verbosity of the answer. Passed on to the provider over both of OpenAI’s wires.',
  ),
  service_tier: z.string().max(64).nullish().describe('The same as in a response. `batch` is refused.'),
  n: z.int().min(1).max(128).nullish().describe('1 only.'),
  logprobs: z.boolean().nullish().describe('`false` only: Pawl never shows log probabilities.'),
  top_logprobs: z.int().min(0).max(20).nullish().describe('0 only.'),
  modalities: z.array(z.string().max(64)).max(8).nullish().describe('`["text"]` only.'),
};

const answering = {
  stream: z.boolean().nullish().describe('Whether to answer with a stream of chunks.'),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().nullish().describe('Whether to send the usage in a last chunk.'),
      include_obfuscation: z.boolean().nullish().describe('A hint without effect: Pawl never adds obfuscation.'),
    })
    .nullish()
    .describe('Options of the stream. Only with `stream: true`.'),
  store: z
    .boolean()
    .nullish()
    .describe(
      '`false`: later requests cannot find the completion. `true`: lists show the completion. If the field is absent, Pawl keeps the completion.',
    ),
};

const others = {
  audio: refused('Ask for text.'),
  prediction: refused('Leave it out.'),
  web_search_options: refused('Leave it out.'),
  moderation: refused('Leave it out.'),
};

const pawl = z
  .strictObject({
    ...pawlFields,
    tools: z
      .array(z.union([z.string(), GivenTool]))
      .max(128)
      .nullish()
      .describe('Tools that Pawl runs, as in a turn request: names of `GET /v1/tools`, or definitions.'),
    previous_completion_id: z
      .string()
      .nullish()
      .describe('The completion that this completion continues. `messages` then has the new messages only.'),
  })
  .nullish()
  .describe('Fields of a turn request that OpenAI’s API does not have.');

const { client_metadata: _, ...completionHints } = hints;

/** The body of `POST /v1/chat/completions`. Messages are read by role, not here. */
export const CompletionBody = z
  .strictObject({
    model,
    prompt,
    messages: z
      .array(GivenMessage)
      .min(1, 'give at least one message')
      .max(10_000)
      .describe('The conversation so far.'),
    ...tooling,
    ...sampling,
    ...answering,
    metadata,
    ...completionHints,
    ...others,
    pawl,
  })
  .meta({
    id: 'CompletionBody',
    description: 'The request to create a chat completion, in OpenAI’s shape.',
    examples: [
      { model: 'sim/demo', messages: [{ role: 'user', content: 'Say hello to Ada.' }] },
      {
        ...{ model: 'sim/demo', stream: true, stream_options: { include_usage: true } },
        messages: [
          { role: 'system', content: 'You are brief.' },
          { role: 'user', content: 'Say hello to Ada.' },
        ],
      },
      {
        model: 'sim/demo',
        messages: [{ role: 'user', content: 'Do I need an umbrella in Lisbon?' }],
        tools: [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }],
      },
    ],
  });
export type CompletionBody = z.output<typeof CompletionBody>;
