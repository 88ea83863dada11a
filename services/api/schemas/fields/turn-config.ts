import { z } from 'zod';
import { fillLimits, mapLimits } from '#core/turn/limits.ts';
import { PromptCache, ServiceTier } from '#core/turn/request/provider/provider-fields.ts';
import { StandingConfig, ToolChoice } from '#core/turn/request/turn.ts';
import { ResolvedTool } from './resolved-tool.ts';

/** Where a turn ends at the latest, with every default. */
export const Limits = z.object(
  mapLimits(
    ({ counts, byDefault, min }): z.ZodType<number | null> =>
      byDefault === null
        ? (min === null ? z.number() : z.int()).nullable().describe(`${counts}; null for no limit.`)
        : z.int().describe(`${counts}.`),
  ),
);

/** What is passed on to the model or shapes its answer, as it was given. */
export const asGiven = StandingConfig.pick({
  ...{ parallel_tool_calls: true, temperature: true, top_p: true, reasoning_effort: true, verbosity: true },
  ...{ stop: true, seed: true, max_output_tokens: true, output_schema: true, context: true, provider_options: true },
  ...{ provider_headers: true, model_retry: true },
}).required().shape;

const { temperature, top_p, reasoning_effort, verbosity, stop, seed, ...besideSampling } = asGiven;

/** What a turn ran with; `presentTurnConfig` makes it. */
export const TurnConfig = z
  .object({
    model: z.string().describe('The model that was asked for, as `provider/model`.'),
    fallback_models: z.array(z.string()).describe('The models that are asked where that one cannot answer.'),
    instructions: z.string().nullable().describe('The system prompt.'),
    tools: z
      .array(ResolvedTool)
      .describe(`The tools with all their rules. \${secret:name} in a header stands as it was written.`),
    tool_choice: ToolChoice.describe('Whether the first round may, must not or must call a tool, or which.'),
    tool_mode: z.enum(['native', 'emulated', 'inline']).describe('How the model calls tools.'),
    sampling: z
      .object({ temperature, top_p, reasoning_effort, verbosity, stop, seed })
      .describe('How the model chooses its words; null where that was left to the model.'),
    ...besideSampling,
    prompt_cache: PromptCache.describe('How the provider’s cache is used.'),
    service_tier: ServiceTier.nullable().describe('The tier on which rounds are asked; null if none is sent.'),
    tier_fallback: z.enum(['default']).nullable().describe('The tier for rounds that lack capacity or are late.'),
    wires: z
      .record(z.string(), z.literal('openai-responses'))
      .describe('The providers that are asked over Responses although they also speak Chat Completions.'),
    limits: Limits.describe('Where the turn ends at the latest.'),
    allowed_capabilities: z.array(z.string()).nullable().describe('What tools may need; null for everything.'),
    webhook: z
      .object({
        url: z.string().describe('Where events are posted.'),
        events: z.array(z.string()).describe('Which events.'),
        include: z.array(z.string()).describe('What is sent along.'),
      })
      .nullable()
      .describe('What receives the events of the turn, besides the project’s webhook endpoints.'),
  })
  .meta({
    id: 'TurnConfig',
    description: 'What a turn ran with: its own fields over its conversation’s, with every default and every tool.',
    examples: [
      {
        ...{ model: 'sim/demo', fallback_models: [], instructions: 'You are brief.', tools: [], tool_choice: 'auto' },
        sampling: { temperature: 0.2, top_p: null, reasoning_effort: null, verbosity: null, stop: null, seed: null },
        ...{
          tool_mode: 'native',
          parallel_tool_calls: null,
          max_output_tokens: null,
          output_schema: null,
          context: null,
        },
        ...{ prompt_cache: 'auto', service_tier: null, tier_fallback: null },
        wires: {},
        ...{ limits: fillLimits(null), allowed_capabilities: null, provider_options: {}, webhook: null },
        ...{ provider_headers: {}, model_retry: null },
      },
    ],
  });
