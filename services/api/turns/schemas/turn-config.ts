import { z } from 'zod';
import { type ConfigName, type configFields, mapFields } from '#core/turn/config/config-fields.ts';
import { groupConfig, keepConfig } from '#core/turn/config/kept-config.ts';
import { HostedTool } from '#core/turn/hosted/hosted-tool.ts';
import { fillLimits, mapLimits } from '#core/turn/limits.ts';
import { presentTurnConfig } from '#core/turn/resource/turn-config.ts';
import { resolvedField, resolvedOrNull } from './resolved-field.ts';
import { ResolvedTool } from './resolved-tool.ts';

/** The limits of a turn, with every default. */
export const Limits = z.object(
  mapLimits(
    ({ counts, byDefault, min }): z.ZodType<number | null> =>
      byDefault === null
        ? (min === null ? z.number() : z.int()).nullable().describe(`${counts}. Null: no limit.`)
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

/** The configuration of a turn, made by `presentTurnConfig`. */
export const TurnConfig = z
  .object({
    model: z.string().describe('The model that the caller requested, as `provider/model`.'),
    fallback_models: z.array(z.string()).describe('The models that Pawl asks if that model cannot answer.'),
    instructions,
    tools: z
      .array(z.union([ResolvedTool, HostedTool]))
      .describe(`The tools with all their rules. A \`\${secret:name}\` in a header is shown as written.`),
    tool_choice: tool_choice.describe(
      'Whether the first round may (`auto`), must not (`none`) or must (`required`) call a tool, or the tool that it ' +
        'must call.',
    ),
    tool_mode,
    sampling: z.object(sampling).describe('The sampling parameters. Null if the model’s defaults apply.'),
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
      .describe('The providers that Pawl asks over Responses although they also support Chat Completions.'),
    limits: Limits.describe('The limits at which the turn ends.'),
    allowed_capabilities,
    webhook: z
      .object({
        url: z.string().describe('The URL that receives the events.'),
        events: z.array(z.string()).describe('The event types that the webhook receives.'),
        include: z.array(z.literal('turn')).describe('The parts that Pawl adds to each event.'),
      })
      .nullable()
      .describe('The webhook that receives the events of the turn, in addition to the project’s webhook endpoints.'),
  })
  .meta({
    id: 'TurnConfig',
    description: 'The configuration of a turn: its own fields, its conversation’s fields, and all defaults and tools.',
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
