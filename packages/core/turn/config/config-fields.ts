import { z } from 'zod';
import { mapLimits } from '../limits.ts';
import { Context } from '../request/context.ts';
import { Json } from '../request/json.ts';
import { ModelName } from '../request/model-name.ts';
import { GivenOutputSchema } from '../request/output-schema.ts';
import { ModelRetry } from '../request/provider/model-retry.ts';
import { ProviderHeaders } from '../request/provider/provider-headers.ts';
import { capabilities, GivenTool } from '../request/tool.ts';
import { Webhook } from '../request/webhook.ts';
import { PromptCache, ServiceTier } from './service-tier.ts';
import { ReasoningEffort, ToolChoice, Verbosity } from './tool-choice.ts';

const GivenLimits = z.strictObject(
  mapLimits(({ counts, after, byDefault, min, max }) => {
    const sentence =
      byDefault === null ? `${counts}. ${after} No limit by default.` : `${counts}, ${byDefault} by default. ${after}`;
    const field = min === null ? z.number().positive() : z.int().min(min);
    return (max === null ? field : field.max(max)).nullish().describe(sentence);
  }),
);

const MAX_FALLBACK_MODELS = 5;

const MAX_STOP = 1_000;

type ConfigField = {
  schema: z.ZodType;
  description: string;
  /** The description in resources, if it differs. */
  shown?: string;
  /** The value of a turn without the field. */
  byDefault: unknown;
  /** The value that a conversation without the field shows, if it differs. */
  inConversation?: null;
  /** `given`: a turn stores the field if it differs from the default. `own`: `resolve-config.ts` has a rule. */
  kept: 'always' | 'given' | 'own';
  /** The object that has the field in the configuration of a turn. */
  group?: 'sampling';
};

/** Fields without a default that `resolve-config.ts` has a rule for. */
const RESOLVED = { byDefault: null, kept: 'own' } as const;
const SAMPLING = { byDefault: null, kept: 'always', group: 'sampling' } as const;
/** Only turns that set such a field store it. */
const RARE_SAMPLING = { ...SAMPLING, kept: 'given' } as const;

/**
 * The configuration of a conversation and its turns, in the order of their resources. The requests, the stored
 * configuration of a turn, forks, the resources, the OpenAPI document and the client's types follow from this list.
 */
export const configFields = {
  model: {
    schema: ModelName,
    description: 'The model as `provider/model`. The turn or its conversation has to name one; `sim/…` needs no key.',
    ...RESOLVED,
  },
  fallback_models: {
    schema: z.array(ModelName).max(MAX_FALLBACK_MODELS),
    description: 'The models that are asked, in their order, where `model` cannot answer. None by default.',
    byDefault: [],
    kept: 'own',
  },
  instructions: { schema: z.string(), description: 'The system prompt.', byDefault: null, kept: 'always' },
  tools: {
    schema: z.array(z.union([z.string(), GivenTool])).max(128),
    description: 'Names of tools that `GET /v1/tools` lists, or definitions. In a later turn they replace, not extend.',
    byDefault: [],
    kept: 'own',
  },
  tool_choice: {
    schema: ToolChoice,
    description:
      'Whether the first round may, must not or must call a tool, or which. `auto` by default, and in later rounds.',
    byDefault: 'auto',
    kept: 'own',
  },
  tool_mode: {
    schema: z.enum(['native', 'emulated', 'inline']),
    description: 'How the model calls tools: by itself (`native`, the default), by decisions in JSON, or by markers.',
    shown: 'How the model calls tools.',
    byDefault: 'native',
    kept: 'always',
  },
  parallel_tool_calls: {
    schema: z.boolean(),
    description: 'Whether a reply may ask for several calls; passed on.',
    byDefault: null,
    kept: 'always',
  },
  temperature: { schema: z.number().min(0).max(2), description: 'Passed on to the model.', ...SAMPLING },
  top_p: { schema: z.number().min(0).max(1), description: 'Passed on to the model.', ...SAMPLING },
  reasoning_effort: {
    schema: ReasoningEffort,
    description: 'How much the model should think; passed on. A provider without a word for it refuses the turn.',
    ...SAMPLING,
  },
  verbosity: {
    schema: Verbosity,
    description: 'How long answers should be; passed on, by providers of the openai wire only.',
    ...SAMPLING,
  },
  stop: {
    schema: z
      .array(z.string().min(1, 'give some text').max(MAX_STOP))
      .min(1, 'give at least one text')
      .max(4, 'give at most 4 texts'),
    description: 'Texts at which the model stops writing, 1 to 4; the text that it stopped at is left out. Passed on.',
    ...RARE_SAMPLING,
  },
  seed: {
    schema: z.int(),
    description: 'The same seed makes the same answer likelier; passed on, by providers that know one.',
    ...RARE_SAMPLING,
  },
  max_output_tokens: {
    schema: z.int().min(1),
    description: 'The longest reply of one round; passed on to the model.',
    byDefault: null,
    kept: 'always',
  },
  output_schema: {
    schema: GivenOutputSchema,
    description:
      'The JSON that the answer has to be. It is checked before the turn ends, and repaired once where it does not fit.',
    ...RESOLVED,
  },
  context: {
    schema: Context,
    description: 'What is sent of a history that grows too long. By default all of it, until its provider refuses it.',
    ...RESOLVED,
  },
  provider_options: {
    schema: z.record(z.string(), Json),
    description:
      'Merged into the top level of the provider’s request, as they are. A null leaves its field out of the request. For a package of the AI SDK, by the name of its provider.',
    byDefault: {},
    inConversation: null,
    kept: 'always',
  },
  provider_headers: {
    schema: ProviderHeaders,
    description:
      'Headers of each request to the model, at most 16. The operator lists the names that a provider allows.',
    byDefault: {},
    inConversation: null,
    kept: 'given',
  },
  model_retry: { schema: ModelRetry, description: 'Attempts and timeouts of requests to the model.', ...RESOLVED },
  prompt_cache: {
    schema: PromptCache,
    description:
      '`auto` (default) uses the provider’s cache if it is likely to help. `off` sends no cache fields. `5m` and `1h` are minimum lifetimes.',
    shown: 'How the provider’s cache is used.',
    byDefault: 'auto',
    kept: 'given',
  },
  service_tier: {
    schema: ServiceTier,
    description:
      'The tier of the provider on which each round is asked. Without it, no tier is sent. `flex` costs less and waits while the provider lacks capacity.',
    shown: 'The tier on which rounds are asked; null if none is sent.',
    byDefault: null,
    kept: 'given',
  },
  tier_fallback: {
    schema: z.enum(['default'], 'give "default"'),
    description:
      'With `flex`: a round that the provider refuses three times for lack of capacity, or that is late for the deadline, is asked on this tier.',
    shown: 'The tier for rounds that lack capacity or are late.',
    byDefault: null,
    kept: 'given',
  },
  limits: { schema: GivenLimits, description: 'Where the turn ends at the latest.', ...RESOLVED },
  allowed_capabilities: {
    schema: capabilities,
    description: 'What tools may need; a call of one that needs more is answered `permission_denied`. All by default.',
    shown: 'What tools may need; null for everything.',
    byDefault: null,
    kept: 'always',
  },
  webhook: {
    schema: Webhook,
    description: 'Where to send the events of the turn, besides the project’s webhook endpoints.',
    ...RESOLVED,
  },
} as const satisfies Record<string, ConfigField>;

export type ConfigName = keyof typeof configFields;

/** Makes a value of each field, by its name. */
export function mapFields<Value>(make: (field: ConfigField, name: ConfigName) => Value): Record<ConfigName, Value> {
  const made = Object.entries(configFields).map(([name, field]) => [name, make(field, name as ConfigName)]);
  // The names are those of the list.
  return Object.fromEntries(made) as Record<ConfigName, Value>;
}
