import { z } from 'zod';
import type { ContextConfig } from '../compaction/compaction.ts';
import type { TurnOrigin } from '../forks/turn-origin.ts';
import { type Limits, mapLimits } from '../limits.ts';
import { InputMessage } from '../message.ts';
import { Context } from './context.ts';
import { ModelName } from './model-name.ts';
import { GivenOutputSchema, type OutputSchema } from './output-schema.ts';
import type { ModelRetry } from './provider/model-retry.ts';
import { type PromptCache, providerFields, type ServiceTier } from './provider/provider-fields.ts';
import type { CompletionRequest, ResponseRequest, TextFormat } from './response.ts';
import { delayFields, joiningFields } from './start-fields.ts';
import { GivenTool, MAX_WORDS, type TurnTool } from './tool.ts';
import { type Subscription, Webhook } from './webhook.ts';

export const ToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.strictObject({ type: z.literal('specific'), name: z.string().min(1).describe('The tool to call.') }),
]);
export type ToolChoice = z.infer<typeof ToolChoice>;

/** How much a model should think before it answers; no wire knows all of them. */
export const ReasoningEffort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);
export type ReasoningEffort = z.infer<typeof ReasoningEffort>;

/** How long a model's answers should be. */
export const Verbosity = z.enum(['low', 'medium', 'high']);
export type Verbosity = z.infer<typeof Verbosity>;

const GivenLimits = z.strictObject(
  mapLimits(({ counts, after, byDefault, min, max }) => {
    const sentence =
      byDefault === null ? `${counts}. ${after} No limit by default.` : `${counts}, ${byDefault} by default. ${after}`;
    const field = min === null ? z.number().positive() : z.int().min(min);
    return (max === null ? field : field.max(max)).nullish().describe(sentence);
  }),
);

/** Key and value pairs of the caller's own. */
export const metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, 'give at most 16 pairs')
  .meta({
    description: 'What the caller wants to keep with it: at most 16 pairs.',
    maxProperties: 16,
    propertyNames: { minLength: 1, maxLength: 64 },
  });

/** As many other models as a turn may name. */
const MAX_FALLBACK_MODELS = 5;

const MAX_STOP = 1_000;

/** What a conversation keeps for its turns. */
export const standingFields = {
  model: ModelName.nullish().describe(
    'The model as `provider/model`. The turn or its conversation has to name one; `sim/…` needs no key.',
  ),
  fallback_models: z
    .array(ModelName)
    .max(MAX_FALLBACK_MODELS)
    .nullish()
    .describe('The models that are asked, in their order, where `model` cannot answer. None by default.'),
  instructions: z.string().nullish().describe('The system prompt.'),
  tools: z
    .array(z.union([z.string(), GivenTool]))
    .max(128)
    .nullish()
    .describe('Names of tools that `GET /v1/tools` lists, or definitions. In a later turn they replace, not extend.'),
  tool_choice: ToolChoice.nullish().describe(
    'Whether the first round may, must not or must call a tool, or which. `auto` by default, and in later rounds.',
  ),
  tool_mode: z
    .enum(['native', 'emulated', 'inline'])
    .nullish()
    .describe('How the model calls tools: by itself (`native`, the default), by decisions in JSON, or by markers.'),
  parallel_tool_calls: z.boolean().nullish().describe('Whether a reply may ask for several calls; passed on.'),
  temperature: z.number().min(0).max(2).nullish().describe('Passed on to the model.'),
  top_p: z.number().min(0).max(1).nullish().describe('Passed on to the model.'),
  reasoning_effort: ReasoningEffort.nullish().describe(
    'How much the model should think; passed on. A provider without a word for it refuses the turn.',
  ),
  verbosity: Verbosity.nullish().describe(
    'How long answers should be; passed on, by providers of the openai wire only.',
  ),
  stop: z
    .array(z.string().min(1, 'give some text').max(MAX_STOP))
    .min(1, 'give at least one text')
    .max(4, 'give at most 4 texts')
    .nullish()
    .describe('Texts at which the model stops writing, 1 to 4; the text that it stopped at is left out. Passed on.'),
  seed: z
    .int()
    .nullish()
    .describe('The same seed makes the same answer likelier; passed on, by providers that know one.'),
  max_output_tokens: z.int().min(1).nullish().describe('The longest reply of one round; passed on to the model.'),
  output_schema: GivenOutputSchema.nullish().describe(
    'The JSON that the answer has to be. It is checked before the turn ends, and repaired once where it does not fit.',
  ),
  limits: GivenLimits.nullish().describe('Where the turn ends at the latest.'),
  context: Context.nullish().describe(
    'What is sent of a history that grows too long. By default all of it, until its provider refuses it.',
  ),
  allowed_capabilities: z
    .array(z.enum(['network', 'filesystem', 'database', 'shell']))
    .max(MAX_WORDS)
    .nullish()
    .describe('What tools may need; a call of one that needs more is answered `permission_denied`. All by default.'),
  ...providerFields,
  webhook: Webhook.nullish().describe('Where to send the events of the turn, besides the project’s webhook endpoints.'),
};

/** What begins a turn, or joins one. */
export const input = z
  .union([z.string().min(1, 'give some text'), z.array(InputMessage).min(1, 'give at least one message').max(10_000)])
  .describe('What the user says, or several messages.');

/** What only a request that may start a turn says. */
export const startingFields = {
  ...joiningFields,
  priority: z.int().min(-1000).max(1000).nullish().describe('Higher runs first; 0 by default.'),
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
  expires_in_seconds: z
    .int()
    .min(1)
    .max(LONGEST_EXPIRY_SECONDS)
    .nullish()
    .describe(
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
export type TurnConfig = {
  model: string;
  /** The models that follow where one cannot answer; absent where there are none. */
  fallback_models?: string[];
  instructions: string | null;
  tools: TurnTool[];
  /** About tools that were asked for and left out; absent if there are none. */
  warnings?: string[];
  tool_choice: ToolChoice;
  tool_mode: 'native' | 'emulated' | 'inline';
  parallel_tool_calls: boolean | null;
  temperature: number | null;
  max_output_tokens: number | null;
  limits: Limits;
  allowed_capabilities: string[] | null;
  provider_options: Record<string, unknown>;
  webhook: Subscription | null;
  top_p?: number | null;
  reasoning_effort?: ReasoningEffort | null;
  verbosity?: Verbosity | null;
  stop?: string[];
  seed?: number;
  /** `auto` if it is absent. */
  prompt_cache?: PromptCache;
  /** No tier is sent if it is absent. */
  service_tier?: ServiceTier;
  tier_fallback?: 'default';
  provider_headers?: Record<string, string>;
  model_retry?: ModelRetry;
  /**
   * The wires that were chosen for providers that speak Chat Completions and Responses, by their names. Such a provider
   * is asked over Chat Completions if it is absent, as in turns of earlier versions.
   */
  wires?: Record<string, 'openai-responses'>;
  text_format?: TextFormat | null;
  /** What the answer is checked against; a response's format is checked by its provider alone. */
  output_schema?: OutputSchema;
  /** How the history is made shorter; absent where it is not. */
  context?: ContextConfig;
  /** Output tokens of all rounds together: each round is asked with what is left. */
  max_total_output_tokens?: number | null;
  /** Where the first turn of a fork or a rerun comes from. */
  origin?: TurnOrigin;
  /** The tools of the calls that the turn adopted, in their order, as the turns that asked for them have them. */
  adopted_tools?: TurnTool[];
  /** Of a response: what its caller sent and every answer shows again. */
  response?: ResponseRequest | null;
  /** Of a turn that was created as a chat completion. It has a `response`, too. */
  completion?: CompletionRequest;
};
