import { z } from 'zod';
import { Json } from '#core/turn/request/json.ts';
import { StandingConfig, TurnRequest } from '#core/turn/request/turn.ts';
import { ResponseWebhook } from '#core/turn/request/webhook.ts';
import { Prompt } from './agents/prompt.ts';
import { UNSUPPORTED } from './request/explain-issues.ts';

/** The reasoning effort. No wire supports all values. */
export const Effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

/** The length that answers should have. */
export const Verbosity = z.enum(['low', 'medium', 'high']);
const Summary = z.enum(['auto', 'concise', 'detailed']);

const hint = (about: string) =>
  z.string().max(1_024).nullish().describe(`A hint that does not change the answer: ${about}.`);

/** Returns the schema of a field that is refused unless it is null, with advice for callers. */
export const refused = (instead: string) =>
  Json.nullish()
    .refine((value) => value === undefined || value === null, UNSUPPORTED)
    .describe(`Refused unless null. ${instead}`);

/** The name of a JSON Schema for the text. */
export const schemaName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'use 1 to 64 letters, digits, underscores and hyphens');

const Format = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text') }),
    z.strictObject({ type: z.literal('json_object') }),
    z.strictObject({
      type: z.literal('json_schema'),
      name: schemaName.describe('The name of the schema.'),
      schema: z.record(z.string(), Json).describe('The JSON Schema of the text.'),
      strict: z.boolean().nullable().default(null).describe('Whether the provider enforces the schema.'),
      description: z.string().nullable().default(null).describe('The purpose of the schema, for the model.'),
    }),
  ])
  .describe('The format of the text of every round.');

/** An item as callers send it. Its type determines how it is read. */
export const GivenItem = z
  .looseObject({
    type: z.string().nullish().describe('The type of the item. An item with a `role` and no `type` is a `message`.'),
  })
  .describe('A message, a call, a result, or a reference to an item, in OpenAI’s shape.');

const GivenTool = z
  .looseObject({ type: z.string().describe('`function`, `custom`, `namespace` or `mcp`.') })
  .describe(
    'A tool whose calls the caller answers. With an `execution` of kind `http`, Pawl runs the calls. A `namespace` has `tools` of its own: functions and custom tools. `mcp` offers tools of the operator by a `server_label`: `pawl`, or the name of an MCP server. It offers all tools, or its `allowed_tools`. The provider runs `web_search`, `code_interpreter`, `file_search` and `image_generation`, if its wire has them.',
  );

const ToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({ type: z.string().describe('`function`, `custom`, `mcp` or `allowed_tools`.') }),
]);

const { limits, tool_mode, allowed_capabilities, provider_options, prompt_cache } = StandingConfig.shape;
const { tier_fallback, provider_headers, model_retry } = StandingConfig.shape;
const webhook = ResponseWebhook.nullish().describe(
  'The webhook that receives the events, in addition to the project’s webhook endpoints.',
);
const { priority, metadata } = TurnRequest.shape;

const chain = {
  previous_response_id: z
    .string()
    .nullish()
    .describe(
      'The response that this response continues. Its history is put before the input. The new response inherits only items.',
    ),
  conversation: z
    .union([z.string(), z.strictObject({ id: z.string().describe('The id of the conversation.') })])
    .nullish()
    .describe('The conversation that gets this response as its next turn. Not together with `previous_response_id`.'),
  background: z.boolean().nullish().describe('Whether to answer at once with the status `queued`. Default: false.'),
  store: z.boolean().nullish().describe('Whether later requests can find the response. Default: true.'),
  stream: z.boolean().nullish().describe('Whether to answer with a stream of events.'),
  stream_options: z
    .strictObject({
      include_obfuscation: z.boolean().nullish().describe('A hint without effect: Pawl never adds obfuscation.'),
      reasoning_summary_delivery: z
        .string()
        .max(64)
        .nullish()
        .describe('A hint without effect: reasoning is always sent before the text or calls that follow it.'),
    })
    .nullish()
    .describe('Options of the stream.'),
};

const tooling = {
  tools: z.array(GivenTool).max(128).nullish().describe('The tools that the model may call.'),
  tool_choice: ToolChoice.nullish().describe(
    'Whether the model may (`auto`), must not (`none`) or must (`required`) call a tool, or the tool that it must call.',
  ),
  parallel_tool_calls: z
    .boolean()
    .nullish()
    .describe('Whether a reply may request several calls. Passed on to the provider.'),
  max_tool_calls: z.int().min(1).max(10_000).nullish().describe('The maximum number of calls that Pawl runs itself.'),
};

const sampling = {
  max_output_tokens: z
    .int()
    .min(1)
    .nullish()
    .describe('The maximum number of output tokens of the whole response, over all rounds.'),
  temperature: z.number().min(0).max(2).nullish().describe('Passed on to the provider.'),
  top_p: z.number().min(0).max(1).nullish().describe('Passed on to the provider.'),
  presence_penalty: z.number().min(-2).max(2).nullish().describe('Passed on to the provider over Chat Completions.'),
  frequency_penalty: z.number().min(-2).max(2).nullish().describe('Passed on to the provider over Chat Completions.'),
  top_logprobs: z
    .int()
    .min(0)
    .max(20)
    .nullish()
    .describe('Passed on to the provider over Chat Completions. Pawl never shows log probabilities.'),
  text: z
    .strictObject({
      format: Format.nullish(),
      verbosity: Verbosity.nullish().describe(
        'The verbosity of the answer. Passed on to the provider over both of OpenAI’s wires.',
      ),
    })
    .nullish()
    .describe('Options of the text.'),
  reasoning: z
    .strictObject({
      effort: Effort.nullish().describe('The reasoning effort. Passed on to the provider.'),
      summary: Summary.nullish().describe('Whether to show the reasoning, if the provider shows it.'),
      generate_summary: Summary.nullish().describe('The older name of `summary`.'),
      context: z.enum(['auto']).nullish().describe('`auto` only.'),
      mode: z.enum(['standard']).nullish().describe('`standard` only.'),
    })
    .nullish()
    .describe('Options of the reasoning.'),
  service_tier: z
    .string()
    .max(64)
    .nullish()
    .describe(
      'The same as in a turn request. With `auto`, Pawl sends no tier. `batch` requires `background`. Other values are passed on over both of OpenAI’s wires.',
    ),
  truncation: z
    .string()
    .nullish()
    .describe(
      '`disabled` (default) or `auto`. With `auto`, if the provider reports that the history is too long, Pawl replaces the results of older calls by a note. This is the strategy `drop_tool_results` of `context`.',
    ),
  include: z
    .array(z.string())
    .max(32)
    .nullish()
    .describe(
      '`reasoning.encrypted_content`, and outputs of calls that the provider ran: `web_search_call.action.sources`, `web_search_call.results`, `code_interpreter_call.outputs`, `file_search_call.results`. Other values of OpenAI’s API are accepted and add no fields.',
    ),
};

/** Fields that help a provider and do not change the answer. */
export const hints = {
  user: hint('the identity of the end user'),
  safety_identifier: hint('the identity of the end user, as a hash'),
  prompt_cache_key: hint('the requests that share a prefix'),
  prompt_cache_retention: hint('the time to keep a cached prefix'),
  prompt_cache_options: Json.nullish().describe('A hint that does not change the answer: options of the cache.'),
  client_metadata: Json.nullish().describe('A hint that does not change the answer: metadata of the client.'),
};

const others = {
  prompt: Prompt.nullish().describe('The agent that gives the configuration. Other fields override its fields.'),
  moderation: refused('Leave it out.'),
  context_management: refused('Send the history to use in `input`.'),
  image: refused('Put images into `input`.'),
  access_programs: refused('Leave it out.'),
};

/** Fields of a turn request that both of OpenAI's APIs have in `pawl`. */
export const pawlFields = {
  ...{ limits, webhook, priority, tool_mode, allowed_capabilities, provider_options, prompt_cache },
  ...{ tier_fallback, provider_headers, model_retry },
};

const pawl = z.strictObject(pawlFields).nullish().describe('Fields of a turn request that OpenAI’s API does not have.');

/** The body of `POST /v1/responses`. Items and tools are read by type, not here. */
export const ResponseBody = z
  .strictObject({
    model: z
      .string()
      .min(1)
      .max(512)
      .nullish()
      .describe(
        '`provider/model`, a model name of the default provider, or `agent/support`. Required without `prompt`.',
      ),
    input: z
      .union([z.string(), z.array(GivenItem).max(10_000)])
      .describe('The text of the user, or items. It may be empty only with `previous_response_id` or `conversation`.'),
    instructions: z.string().nullish().describe('The system prompt of this response only.'),
    ...chain,
    ...tooling,
    ...sampling,
    metadata,
    ...hints,
    ...others,
    pawl,
  })
  .meta({
    id: 'ResponseBody',
    description: 'The request to create a response, in OpenAI’s shape.',
    examples: [
      { model: 'sim/demo', input: 'Say hello to Ada.' },
      { model: 'sim/demo', input: 'Say hello to Ada.', stream: true },
      {
        model: 'sim/demo',
        input: [{ role: 'user', content: 'And now?' }],
        background: true,
        metadata: { order: '17' },
      },
      {
        model: 'sim/demo',
        input: 'Do I need an umbrella in Lisbon?',
        tools: [{ type: 'mcp', server_label: 'pawl' }],
      },
    ],
  });
export type ResponseBody = z.output<typeof ResponseBody>;
