import { z } from 'zod';
import { Json } from '#core/turn/request/json.ts';
import { StandingConfig, TurnRequest } from '#core/turn/request/turn.ts';
import { ResponseWebhook } from '#core/turn/request/webhook.ts';
import { UNSUPPORTED } from './request/explain-issues.ts';

/** How much a model should think before it answers; no wire knows all of them. */
export const Effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

/** The length that answers should have. */
export const Verbosity = z.enum(['low', 'medium', 'high']);
const Summary = z.enum(['auto', 'concise', 'detailed']);

const hint = (about: string) => z.string().max(1_024).nullish().describe(`A hint: ${about}.`);

/** A field that is refused unless it is null, with the advice for its callers. */
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
      name: schemaName.describe('What the schema is called.'),
      schema: z.record(z.string(), Json).describe('The JSON Schema that the text fits.'),
      strict: z.boolean().nullable().default(null).describe('Whether the provider holds the model to it.'),
      description: z.string().nullable().default(null).describe('What it is for, for the model.'),
    }),
  ])
  .describe('What the text of every round has to be.');

/** An item as callers send it; it is read by its type. */
export const GivenItem = z
  .looseObject({ type: z.string().nullish().describe('`message` where it is left out beside a `role`.') })
  .describe('A message, a call, a result, or a reference to one, in OpenAI’s shapes.');

const GivenTool = z
  .looseObject({ type: z.string().describe('`function`, `custom`, `namespace` or `mcp`.') })
  .describe(
    'A tool whose calls the caller answers; with an `execution` of kind `http`, one that Pawl runs. A `namespace` ' +
      'has `tools` of its own, functions and custom tools. `mcp` offers tools of ' +
      'the operator by a `server_label`: `pawl`, or the name of an MCP server; all, or its `allowed_tools`.',
  );

const ToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({ type: z.string().describe('`function`, `custom`, `mcp` or `allowed_tools`.') }),
]);

const { limits, tool_mode, allowed_capabilities, provider_options, prompt_cache } = StandingConfig.shape;
const { tier_fallback, provider_headers, model_retry } = StandingConfig.shape;
const webhook = ResponseWebhook.nullish().describe(
  'Where to send its events, besides the project’s webhook endpoints.',
);
const { priority, metadata } = TurnRequest.shape;

const chain = {
  previous_response_id: z
    .string()
    .nullish()
    .describe('The response that this one follows: its history comes first. Nothing but items is inherited.'),
  conversation: z
    .union([z.string(), z.strictObject({ id: z.string().describe('Its id.') })])
    .nullish()
    .describe('The conversation that this is the next turn of. Not together with `previous_response_id`.'),
  background: z.boolean().nullish().describe('Whether to answer at once, `queued`. False by default.'),
  store: z.boolean().nullish().describe('Whether it can be found afterwards. True by default.'),
  stream: z.boolean().nullish().describe('Whether to answer with a stream of events.'),
  stream_options: z
    .strictObject({
      include_obfuscation: z.boolean().nullish().describe('A hint: none is ever added.'),
      reasoning_summary_delivery: z
        .string()
        .max(64)
        .nullish()
        .describe('A hint: thoughts come ahead of what they led to.'),
    })
    .nullish()
    .describe('Of the stream.'),
};

const tooling = {
  tools: z.array(GivenTool).max(128).nullish().describe('What the model may call.'),
  tool_choice: ToolChoice.nullish().describe('Whether the model may, must not or must call a tool, or which.'),
  parallel_tool_calls: z.boolean().nullish().describe('Whether a reply may ask for several calls; passed on.'),
  max_tool_calls: z.int().min(1).max(10_000).nullish().describe('The most calls that Pawl runs itself.'),
};

const sampling = {
  max_output_tokens: z.int().min(1).nullish().describe('Of the whole response, over all its rounds.'),
  temperature: z.number().min(0).max(2).nullish().describe('Passed on.'),
  top_p: z.number().min(0).max(1).nullish().describe('Passed on.'),
  presence_penalty: z.number().min(-2).max(2).nullish().describe('Passed on over Chat Completions.'),
  frequency_penalty: z.number().min(-2).max(2).nullish().describe('Passed on over Chat Completions.'),
  top_logprobs: z.int().min(0).max(20).nullish().describe('Passed on over Chat Completions; never shown.'),
  text: z
    .strictObject({
      format: Format.nullish(),
      verbosity: Verbosity.nullish().describe('How long answers should be; passed on over both OpenAI wires.'),
    })
    .nullish()
    .describe('What the text has to be.'),
  reasoning: z
    .strictObject({
      effort: Effort.nullish().describe('How much the model should think; passed on.'),
      summary: Summary.nullish().describe('Show what the model thought, where its provider shows it.'),
      generate_summary: Summary.nullish().describe('The older name of `summary`.'),
      context: z.enum(['auto']).nullish().describe('`auto` only.'),
      mode: z.enum(['standard']).nullish().describe('`standard` only.'),
    })
    .nullish()
    .describe('How the model thinks.'),
  service_tier: z
    .string()
    .max(64)
    .nullish()
    .describe('As in a turn request; `auto` sends none. Other tiers are passed on over both OpenAI wires.'),
  truncation: z
    .string()
    .nullish()
    .describe(
      '`disabled` (default), or `auto`: once the provider says that the history is too long, the results of older ' +
        'calls become a note, as with `context` `drop_tool_results`.',
    ),
  include: z.array(z.string()).max(32).nullish().describe('`reasoning.encrypted_content`, and what hosted tools have.'),
};

/** Fields that help a provider and change no answer. */
export const hints = {
  user: hint('who the caller’s user is'),
  safety_identifier: hint('who the caller’s user is, unreadably'),
  prompt_cache_key: hint('which requests share a beginning'),
  prompt_cache_retention: hint('how long a beginning is kept'),
  prompt_cache_options: Json.nullish().describe('A hint.'),
  client_metadata: Json.nullish().describe('A hint.'),
};

const others = {
  prompt: refused('Send its text as `instructions` and `input`.'),
  moderation: refused('Leave it out.'),
  context_management: refused('Send the history that you want.'),
  image: refused('Images go into `input`.'),
  access_programs: refused('Leave it out.'),
};

/** Fields of a turn request that both of OpenAI's APIs have in `pawl`. */
export const pawlFields = {
  ...{ limits, webhook, priority, tool_mode, allowed_capabilities, provider_options, prompt_cache },
  ...{ tier_fallback, provider_headers, model_retry },
};

const pawl = z.strictObject(pawlFields).nullish().describe('What OpenAI’s API has no words for, as in a turn request.');

/** `POST /v1/responses` (contract-responses section 2). Items and tools are read by their types, not here. */
export const ResponseBody = z
  .strictObject({
    model: z.string().min(1).max(512).describe('`provider/model`, or a name of the default provider’s.'),
    input: z
      .union([z.string(), z.array(GivenItem).max(10_000)])
      .describe('What the user says, or items. Empty only behind another response or in a conversation.'),
    instructions: z.string().nullish().describe('The system prompt, of this response only.'),
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
    description: 'A response to be created, as OpenAI’s API has it.',
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
