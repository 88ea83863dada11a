import { z } from 'zod';
import { type ConfigName, type configFields, mapFields } from '#core/turn/config/config-fields.ts';
import { groupConfig, keepConfig } from '#core/turn/config/kept-config.ts';
import { fillLimits, mapLimits } from '#core/turn/limits.ts';
import { presentTurnConfig } from '#core/turn/resource/turn-config.ts';
import { resolvedField, resolvedOrNull } from './resolved-field.ts';
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

type Fields = typeof configFields;
type ShownFields<Nullable> = {
  [Name in ConfigName]: Fields[Name] extends Nullable ? z.ZodNullable<Fields[Name]['schema']> : Fields[Name]['schema'];
};

/** Each field of a configuration as a conversation shows it. */
export const fieldsOfConversation = schemasOf((byDefault, inConversation) =>
  [byDefault, inConversation].includes(null),
) as ShownFields<{ byDefault: null } | { inConversation: null }>;

const fieldsOfTurn = schemasOf((byDefault) => byDefault === null) as ShownFields<{ byDefault: null }>;
const {
  model: _,
  fallback_models: __,
  instructions,
  tools: ___,
  tool_choice,
  tool_mode,
  ...laterFields
} = fieldsOfTurn;
const { limits: ____, allowed_capabilities, webhook: _____, ...passedOn } = laterFields;
const { sampling, ...besideSampling } = groupConfig(passedOn);

const { strict, mode, ...outputSchema } = passedOn.output_schema.unwrap().shape;
const { strategy, max_input_tokens, keep_last_rounds, model: summarizer } = passedOn.context.unwrap().shape;

/** What a turn ran with; `presentTurnConfig` makes it. */
export const TurnConfig = z
  .object({
    model: z.string().describe('The model that was asked for, as `provider/model`.'),
    fallback_models: z.array(z.string()).describe('The models that are asked where that one cannot answer.'),
    instructions,
    tools: z
      .array(ResolvedTool)
      .describe(`The tools with all their rules. \${secret:name} in a header stands as it was written.`),
    tool_choice: tool_choice.describe('Whether the first round may, must not or must call a tool, or which.'),
    tool_mode,
    sampling: z.object(sampling).describe('How the model chooses its words; null where that was left to the model.'),
    ...besideSampling,
    output_schema: z
      .object({ ...outputSchema, strict: resolvedOrNull(strict), mode: resolvedField(mode) })
      .nullable()
      .describe(passedOn.output_schema.description ?? ''),
    context: z
      .object({
        strategy: strategy.exclude(['none']).describe(strategy.description ?? ''),
        max_input_tokens: resolvedOrNull(max_input_tokens),
        keep_last_rounds: resolvedField(keep_last_rounds),
        model: resolvedOrNull(summarizer),
      })
      .nullable()
      .describe(passedOn.context.description ?? ''),
    wires: z
      .record(z.string(), z.literal('openai-responses'))
      .describe('The providers that are asked over Responses although they also speak Chat Completions.'),
    limits: Limits.describe('Where the turn ends at the latest.'),
    allowed_capabilities,
    webhook: z
      .object({
        url: z.string().describe('Where events are posted.'),
        events: z.array(z.string()).describe('Which events.'),
        include: z.array(z.literal('turn')).describe('What is sent along.'),
      })
      .nullable()
      .describe('What receives the events of the turn, besides the project’s webhook endpoints.'),
  })
  .meta({
    id: 'TurnConfig',
    description: 'What a turn ran with: its own fields over its conversation’s, with every default and every tool.',
    examples: [
      presentTurnConfig({
        ...keepConfig({ instructions: 'You are brief.', temperature: 0.2 }),
        ...{ model: 'sim/demo', tools: [], tool_choice: 'auto', limits: fillLimits(null), webhook: null },
      }),
    ],
  });

function schemasOf(isNullable: (byDefault: unknown, inConversation: unknown) => boolean) {
  return mapFields(({ schema, description, shown = description, byDefault, inConversation }) =>
    (isNullable(byDefault, inConversation) ? schema.nullable() : schema).describe(shown),
  );
}
