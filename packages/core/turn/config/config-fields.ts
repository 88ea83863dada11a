import { z } from 'zod';
import { HostedTool } from '../hosted/hosted-tool.ts';
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

/** The rule for fields without a default that `resolve-config.ts` handles. */
const RESOLVED = { byDefault: null, kept: 'own' } as const;
const SAMPLING = { byDefault: null, kept: 'always', group: 'sampling' } as const;
/** Only turns that set such a field store it. */
const RARE_SAMPLING = { ...SAMPLING, kept: 'given' } as const;

/**
 * The configuration of a conversation and its turns, in the order of their resources. This list defines requests,
 * stored configurations, forks, resources, the OpenAPI document and the client's types.
 */
export const configFields = {
  model: {
    schema: ModelName,
    description: 'The model as `provider/model`. Required in the turn or in its conversation. `sim/…` needs no key.',
    ...RESOLVED,
  },
  fallback_models: {
    schema: z.array(ModelName).max(MAX_FALLBACK_MODELS),
    description: 'Models to ask, in this order, if `model` cannot answer. Empty by default.',
    byDefault: [],
    kept: 'own',
  },
  instructions: { schema: z.string(), description: 'The system prompt.', byDefault: null, kept: 'always' },
  tools: {
    schema: z.array(z.union([z.string(), GivenTool, HostedTool])).max(128),
    description:
      'Names of tools that `GET /v1/tools` lists, definitions of tools, or tools that the provider runs. A list in a later turn replaces the list.',
    byDefault: [],
    kept: 'own',
  },
  tool_choice: {
    schema: ToolChoice,
    description:
      'Whether the first round may, must or must not call a tool, or the tool to call. Default: `auto`. Later rounds: `auto`.',
    byDefault: 'auto',
    kept: 'own',
  },
  tool_mode: {
    schema: z.enum(['native', 'emulated', 'inline']),
    description:
      'How the model calls tools: with its own tool calls (`native`, the default), as JSON decisions (`emulated`), or as markers in its text (`inline`).',
    shown: 'How the model calls tools.',
    byDefault: 'native',
    kept: 'always',
  },
  parallel_tool_calls: {
    schema: z.boolean(),
    description: 'Whether a reply may request several tool calls. Passed on to the provider.',
    byDefault: null,
    kept: 'always',
  },
  temperature: { schema: z.number().min(0).max(2), description: 'Passed on to the model.', ...SAMPLING },
  top_p: { schema: z.number().min(0).max(1), description: 'Passed on to the model.', ...SAMPLING },
  reasoning_effort: {
    schema: ReasoningEffort,
    description:
      'How much the model should think. Passed on to the provider. If the provider has no such parameter, the turn is refused.',
    ...SAMPLING,
  },
  verbosity: {
    schema: Verbosity,
    description: 'How long answers should be. Passed on, only to providers of the openai wire.',
    ...SAMPLING,
  },
  stop: {
    schema: z
      .array(z.string().min(1, 'give some text').max(MAX_STOP))
      .min(1, 'give at least one text')
      .max(4, 'give at most 4 texts'),
    description:
      '1 to 4 texts at which the model stops writing. The answer does not include the text. Passed on to the provider.',
    ...RARE_SAMPLING,
  },
  seed: {
    schema: z.int(),
    description: 'A seed, which makes the same answer more likely. Passed on, only to providers that support a seed.',
    ...RARE_SAMPLING,
  },
  max_output_tokens: {
    schema: z.int().min(1),
    description: 'The maximum tokens of one reply. Passed on to the provider.',
    byDefault: null,
    kept: 'always',
  },
  output_schema: {
    schema: GivenOutputSchema,
    description:
      'The JSON Schema of the answer. Pawl checks the answer before the turn ends, and asks once for a repair if it does not match.',
    ...RESOLVED,
  },
  context: {
    schema: Context,
    description:
      'How Pawl shortens a history that is too long. By default the whole history is sent until the provider refuses it.',
    ...RESOLVED,
  },
  provider_options: {
    schema: z.record(z.string(), Json),
    description:
      'Fields that are merged unchanged into the top level of the provider’s request. `null` removes a field. For AI SDK packages: objects, keyed by the provider’s name.',
    byDefault: {},
    inConversation: null,
    kept: 'always',
  },
  provider_headers: {
    schema: ProviderHeaders,
    description:
      'Headers of each request to the model, at most 16. The operator lists the allowed names for each provider.',
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
      'The provider’s service tier for all rounds. By default no tier is sent. `flex` costs less, and waits while the provider lacks capacity. `batch` costs less, and asks each round in a batch, within hours.',
    shown: 'The service tier of the rounds. Null if no tier is sent.',
    byDefault: null,
    kept: 'given',
  },
  tier_fallback: {
    schema: z.enum(['default'], 'give "default"'),
    description:
      'With `flex` or `batch`: the tier of a round after three refusals for lack of capacity or three failed results of batches, or if it would miss the deadline.',
    shown: 'The tier of rounds that `flex` or `batch` cannot answer, or that would miss the deadline.',
    byDefault: null,
    kept: 'given',
  },
  limits: { schema: GivenLimits, description: 'Limits at which the turn ends.', ...RESOLVED },
  allowed_capabilities: {
    schema: capabilities,
    description:
      'The capabilities that tools may use. A call of a tool with other capabilities fails with `permission_denied`. All by default.',
    shown: 'The capabilities that tools may use. Null allows all.',
    byDefault: null,
    kept: 'always',
  },
  webhook: {
    schema: Webhook,
    description: 'A webhook for the events of the turn, in addition to the project’s webhook endpoints.',
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
