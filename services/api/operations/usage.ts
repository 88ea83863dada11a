import { z } from '@hono/zod-openapi';
import { sumUsage, USAGE_GROUPS, type UsageSum } from '#core/checkpoint/usage/sum-usage.ts';
import { RequestRefused } from '#core/failure.ts';
import { dayOrMoment } from '#core/turn/request/moment.ts';
import type { ApiContext } from '../context.ts';
import { jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { hasScope } from '../http/scopes.ts';
import { listOf, wholeList } from '../schemas/page.ts';
import { tokens } from '../turns/schemas/round.ts';

const count = z.int().min(0);

const example = {
  ...{ day: '2026-11-20', model: 'openai/gpt-4.1', turns: 12, rounds: 31, tool_calls: 24 },
  ...{ input_tokens: 48_213, output_tokens: 5_130, total_tokens: 53_343 },
  ...{ cached_input_tokens: 30_720, cache_write_tokens: 0, reasoning_tokens: 0, cost_usd: 0.137466 },
};

/** The usage of one group. */
const UsageRow = z
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
const UsageQuery = z.object({
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

const route = routesOf('Operation');

const report = route('get', '/v1/usage', 'readUsage', {
  summary: 'Sum what was used: turns, rounds, calls, tokens and cost',
  description:
    'Of the last 30 days, unless `from` and `to` say otherwise; also what has been deleted since. A key sees its own ' +
    'project, an admin key all of them. Usage that is older than some minutes counts at the beginning of its quarter of an hour, ' +
    'and after 35 days at the beginning of its UTC day.',
  request: { query: UsageQuery },
  answers: { 200: jsonAnswer('A row for each group, in their order.', listOf(UsageRow)) },
  refusals: ['invalid_value'],
});

/** `GET /v1/usage`. */
export function usageRoutes({ readAnywhere }: ApiContext) {
  return makeRouter().openapi(report, async (c) => {
    const { from, to, group_by = [] } = c.req.valid('query');
    const times = { from: inUtc(from), to: inUtc(to) };
    if (times.from !== null && times.to !== null && times.from >= times.to)
      throw new RequestRefused(400, 'invalid_value', '`to` is not valid: give a time after `from`.', 'to');
    const groups = USAGE_GROUPS.filter((group) => group_by.includes(group));
    const project = hasScope(c.get('scopes'), 'admin') ? null : c.get('project');
    const rows = await readAnywhere((db) => sumUsage(db, { project, ...times, groups }));
    return c.json(wholeList(rows.map(presentUsage)), 200);
  });
}

/** A day or a time as RFC 3339; one without an offset is UTC. */
function inUtc(time: string | undefined): string | null {
  if (time === undefined) return null;
  const isComplete = !time.includes('T') || /(Z|[+-]\d\d:?\d\d)$/.test(time);
  return new Date(isComplete ? time : `${time}Z`).toISOString();
}

function presentUsage(sum: UsageSum) {
  const { day, project, model, key, turns, rounds } = sum;
  return {
    ...(day !== undefined && { day }),
    ...(project !== undefined && { project }),
    ...(model !== undefined && { model }),
    ...(key !== undefined && { key }),
    ...{ turns, rounds, tool_calls: sum.toolCalls, input_tokens: sum.inputTokens, output_tokens: sum.outputTokens },
    ...{ total_tokens: sum.totalTokens, cached_input_tokens: sum.cachedInputTokens },
    ...{ cache_write_tokens: sum.cacheWriteTokens, reasoning_tokens: sum.reasoningTokens, cost_usd: sum.costUsd },
  };
}
