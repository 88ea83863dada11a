import { z } from 'zod';
import { USAGE_GROUPS } from '#core/checkpoint/usage/sum-usage.ts';
import { dayOrMoment } from '#core/turn/request/moment.ts';
import { tokens } from '../../turns/schemas/round.ts';

const count = z.int().min(0);

const example = {
  ...{ day: '2026-11-20', model: 'openai/gpt-4.1', turns: 12, rounds: 31, tool_calls: 24 },
  ...{ input_tokens: 48_213, output_tokens: 5_130, total_tokens: 53_343 },
  ...{ cached_input_tokens: 30_720, cache_write_tokens: 0, reasoning_tokens: 0, cost_usd: 0.137466 },
};

/** What was used, of one group. */
export const UsageRow = z
  .object({
    day: z.iso.date().optional().describe('The day, in UTC; where `group_by` has it.'),
    project: z.string().optional().describe('The project; where `group_by` has it.'),
    model: z.string().optional().describe('The model as `provider/model`; where `group_by` has it.'),
    key: z
      .string()
      .nullable()
      .optional()
      .describe('The id of the key that asked for the turns; null for those that none did. Where `group_by` has it.'),
    turns: count.describe('Turns that were created, with the model that was asked for.'),
    rounds: count.describe('Rounds that ended, with the model that wrote them.'),
    tool_calls: count.describe('Calls that these rounds asked for.'),
    ...tokens,
  })
  .meta({ id: 'Usage', description: 'What was used, by one group.', examples: [example] });

const groups = USAGE_GROUPS.join('|');

/** The query of a report. */
export const UsageQuery = z.object({
  from: dayOrMoment.optional().describe('From this day or time on, in UTC; 30 days before `to` unless given.'),
  to: dayOrMoment.optional().describe('Up to, and without, this day or time; now unless given.'),
  group_by: z
    .string()
    .regex(
      new RegExp(`^(${groups})(,(${groups}))*$`),
      `give some of ${USAGE_GROUPS.join(', ')}, with commas between them`,
    )
    .transform((text) => text.split(','))
    .optional()
    .meta({
      type: 'string',
      description: 'A row for each day, project, model or key, or each combination of several. One row unless given.',
      examples: ['day,model'],
    }),
});
