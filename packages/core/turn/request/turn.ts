import { z } from 'zod';
import { agentFields } from '../agents/agent-fields.ts';
import type { AgentOfTurn } from '../agents/agent-of-turn.ts';
import type { Variables } from '../agents/fill-variables.ts';
import type { ContextConfig } from '../compaction/compaction.ts';
import { type ConfigName, type configFields, mapFields } from '../config/config-fields.ts';
import type { KeptConfig } from '../config/kept-config.ts';
import type { ToolChoice } from '../config/tool-choice.ts';
import type { TurnOrigin } from '../forks/turn-origin.ts';
import type { HostedTool } from '../hosted/hosted-tool.ts';
import type { Limits } from '../limits.ts';
import { InputMessage } from '../message.ts';
import { wholeNumber } from './json.ts';
import type { OutputSchema } from './output-schema.ts';
import type { ModelRetry } from './provider/model-retry.ts';
import type { CompletionRequest, ResponseRequest, TextFormat } from './response.ts';
import { delayFields, joiningFields } from './start-fields.ts';
import type { TurnTool } from './tool.ts';
import type { Subscription } from './webhook.ts';

/** Key and value pairs of the caller. */
export const metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, 'give at most 16 pairs')
  .meta({
    description: 'Key and value pairs of the caller, at most 16. Pawl stores them and does not read them.',
    maxProperties: 16,
    propertyNames: { minLength: 1, maxLength: 64 },
  });

type GivenFields = {
  [Name in ConfigName]: z.ZodOptional<z.ZodNullable<(typeof configFields)[Name]['schema']>>;
};
// The names and the schemas are those of the list.
const given = mapFields(({ schema, description }) => schema.nullish().describe(description)) as GivenFields;
const { context, provider_options, provider_headers, model_retry, ...inOrder } = given;
const { prompt_cache, service_tier, tier_fallback, limits, allowed_capabilities, webhook, ...first } = inOrder;

/** The fields that a conversation keeps for its turns, in the order of requests. */
export const standingFields = {
  ...first,
  ...{ limits, context, allowed_capabilities, prompt_cache, service_tier, tier_fallback },
  ...{ provider_options, provider_headers, model_retry, webhook },
};

/** The input that begins a turn or is added to a turn. */
export const input = z
  .union([z.string().min(1, 'give some text'), z.array(InputMessage).min(1, 'give at least one message').max(10_000)])
  .describe('The user’s text, or a list of messages.');

/** The fields that only a request that may start a turn has. */
export const startingFields = {
  ...joiningFields,
  priority: wholeNumber(-1000, 1000).describe('The priority. A higher number runs first. 0 by default.'),
};

/** `POST /v1/turns/:id/input`: an input for a turn that has not ended. */
export const NewInput = z.strictObject({ input, metadata: metadata.nullish() }).meta({
  id: 'NewInput',
  description: 'An input for a turn that has not ended. The event `input.added` shows its metadata.',
  examples: [{ input: 'And in Porto?' }],
});

/** Ten years. */
const LONGEST_EXPIRY_SECONDS = 315_360_000;

export const keepingFields = {
  expires_in_seconds: wholeNumber(1, LONGEST_EXPIRY_SECONDS).describe(
    'Seconds after the end of the last turn, or after the creation, until the conversation and its turns are deleted. By default it is kept.',
  ),
};

/** A conversation's configuration, which each of its turns inherits, and how long the conversation is kept. */
export const StandingConfig = z.strictObject({ ...agentFields, ...standingFields, ...keepingFields });
export type StandingConfig = z.output<typeof StandingConfig>;

/** `POST /v1/conversations/:id/turns` and `POST /v1/turns`. */
export const TurnRequest = z
  .strictObject({
    ...agentFields,
    ...standingFields,
    ...startingFields,
    ...delayFields,
    input,
    metadata: metadata.nullish(),
  })
  .meta({
    id: 'TurnRequest',
    description: 'A turn to start. Fields with a default are optional, and `null` means the default.',
    examples: [
      { model: 'sim/demo', input: 'Say hello to Ada.' },
      {
        model: 'sim/demo',
        fallback_models: ['sim/other'],
        instructions: 'You are brief.',
        input: 'Where am I?',
        tools: [{ name: 'locate_user', description: 'Asks the device where the user is', expires_in_seconds: 3600 }],
        limits: { max_rounds: 10, deadline_seconds: 600 },
        context: { strategy: 'summarize', max_input_tokens: 100_000 },
        webhook: { url: 'https://example.com/hooks/pawl', include: ['turn'] },
        metadata: { order: '17' },
      },
      {
        model: 'sim/demo',
        input: 'Where to?',
        output_schema: {
          name: 'place',
          schema: {
            ...{ type: 'object', properties: { city: { type: 'string' } } },
            ...{ required: ['city'], additionalProperties: false },
          },
        },
      },
    ],
  });
export type TurnRequest = z.output<typeof TurnRequest>;

/** The configuration of one turn: its own fields over the conversation's, with defaults and resolved tools. */
export type TurnConfig = KeptConfig & {
  /** The agent whose configuration applies. Absent without an agent. */
  agent?: AgentOfTurn;
  /** The values of the variables of the instructions, which have been replaced. Absent without variables. */
  variables?: Variables;
  model: string;
  /** The next models if the model cannot answer. Absent if the turn has none. */
  fallback_models?: string[];
  tools: TurnTool[];
  /** The tools that the provider runs. Absent if there are none. */
  hosted_tools?: HostedTool[];
  /** Warnings about requested tools that were left out. Absent if there are none. */
  warnings?: string[];
  tool_choice: ToolChoice;
  limits: Limits;
  webhook: Subscription | null;
  model_retry?: ModelRetry;
  /** The wire of each provider that has two wires. An absent wire, as in older turns, is Chat Completions. */
  wires?: Record<string, 'openai-responses'>;
  text_format?: TextFormat | null;
  /** The schema that the answer is checked against. Only the provider checks the format of a response. */
  output_schema?: OutputSchema;
  /** How the history is shortened. Absent if the history is never shortened. */
  context?: ContextConfig;
  max_total_output_tokens?: number | null;
  origin?: TurnOrigin;
  /** The tools of the adopted calls, in their order, as the turns that requested the calls store them. */
  adopted_tools?: TurnTool[];
  /** The fields of a response that its caller sent and every answer repeats. */
  response?: ResponseRequest | null;
  /** Present if the turn was created as a chat completion. The turn then has a `response`, too. */
  completion?: CompletionRequest;
};
