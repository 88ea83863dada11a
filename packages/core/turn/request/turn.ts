import { z } from 'zod';
import type { ContextConfig } from '../compaction/compaction.ts';
import { type ConfigName, type configFields, mapFields } from '../config/config-fields.ts';
import type { KeptConfig } from '../config/kept-config.ts';
import type { ToolChoice } from '../config/tool-choice.ts';
import type { TurnOrigin } from '../forks/turn-origin.ts';
import type { Limits } from '../limits.ts';
import { InputMessage } from '../message.ts';
import { wholeNumber } from './json.ts';
import type { OutputSchema } from './output-schema.ts';
import type { ModelRetry } from './provider/model-retry.ts';
import type { CompletionRequest, ResponseRequest, TextFormat } from './response.ts';
import { delayFields, joiningFields } from './start-fields.ts';
import type { TurnTool } from './tool.ts';
import type { Subscription } from './webhook.ts';

/** Key and value pairs of the caller's own. */
export const metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, 'give at most 16 pairs')
  .meta({
    description: 'What the caller wants to keep with it: at most 16 pairs.',
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

/** What begins a turn, or joins one. */
export const input = z
  .union([z.string().min(1, 'give some text'), z.array(InputMessage).min(1, 'give at least one message').max(10_000)])
  .describe('What the user says, or several messages.');

/** What only a request that may start a turn says. */
export const startingFields = {
  ...joiningFields,
  priority: wholeNumber(-1000, 1000).describe('Higher runs first; 0 by default.'),
};

/** `POST /v1/turns/:id/input`: what joins a turn that has not ended. */
export const NewInput = z.strictObject({ input, metadata: metadata.nullish() }).meta({
  id: 'NewInput',
  description: 'What joins a turn. Its metadata stand with the event that tells of it.',
  examples: [{ input: 'And in Porto?' }],
});

/** Ten years. */
const LONGEST_EXPIRY_SECONDS = 315_360_000;

/** How long a conversation is kept. */
export const keepingFields = {
  expires_in_seconds: wholeNumber(1, LONGEST_EXPIRY_SECONDS).describe(
    'So long after the end of its last turn, or its creation, the conversation goes with all its turns. By default it stays.',
  ),
};

/** A conversation's standing configuration: what each of its turns inherits, and for how long it is kept. */
export const StandingConfig = z.strictObject({ ...standingFields, ...keepingFields });
export type StandingConfig = z.output<typeof StandingConfig>;

/** `POST /v1/conversations/:id/turns` and `POST /v1/turns` (contract: Turn request). */
export const TurnRequest = z
  .strictObject({ ...standingFields, ...startingFields, ...delayFields, input, metadata: metadata.nullish() })
  .meta({
    id: 'TurnRequest',
    description: 'A turn to be started. Leave out what has a default; `null` means the default too.',
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

/** How one turn is worked: its own fields over the conversation's, every default filled in, every tool resolved. */
export type TurnConfig = KeptConfig & {
  model: string;
  /** The models that follow where one cannot answer; absent where there are none. */
  fallback_models?: string[];
  tools: TurnTool[];
  /** About tools that were asked for and left out; absent if there are none. */
  warnings?: string[];
  tool_choice: ToolChoice;
  limits: Limits;
  webhook: Subscription | null;
  model_retry?: ModelRetry;
  /** The wire of each provider that has two; an absent one, as in older turns, is Chat Completions. */
  wires?: Record<string, 'openai-responses'>;
  text_format?: TextFormat | null;
  /** What the answer is checked against; a response's format is checked by its provider alone. */
  output_schema?: OutputSchema;
  /** How the history is made shorter; absent where it is not. */
  context?: ContextConfig;
  max_total_output_tokens?: number | null;
  origin?: TurnOrigin;
  /** The tools of the calls that the turn adopted, in their order, as the turns that asked for them have them. */
  adopted_tools?: TurnTool[];
  /** Of a response: what its caller sent and every answer shows again. */
  response?: ResponseRequest | null;
  /** Of a turn that was created as a chat completion. It has a `response`, too. */
  completion?: CompletionRequest;
};
