import { z } from '@hono/zod-openapi';
import { sumUsage, USAGE_GROUPS, type UsageGroup, type UsageSum } from '#core/checkpoint/usage/sum-usage.ts';
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
    day: z.iso.date().optional().describe('The day in UTC, if `group_by` has it.'),
    project: z.string().optional().describe('The project, if `group_by` has it.'),
    model: z.string().optional().describe('The model as `provider/model`, if `group_by` has it.'),
    key: z
      .string()
      .nullable()
      .optional()
      .describe('The id of the key that requested the turns, if `group_by` has it. Null for turns without a key.'),
    agent: z
      .string()
      .nullable()
      .optional()
      .describe('The agent, if `group_by` has it. Null for turns without an agent.'),
    agent_version: z
      .string()
      .nullable()
      .optional()
      .describe(
        'The agent with its version, as in `support@7`, if `group_by` has it. Null for turns without an agent.',
      ),
    turns: count.describe('The number of turns created. They count for the requested model.'),
    rounds: count.describe('The number of rounds that ended. They count for the model that wrote them.'),
    tool_calls: count.describe('The number of calls that these rounds requested.'),
    ...tokens,
  })
  .meta({ id: 'Usage', description: 'The usage of one group.', examples: [example] });

const groups = USAGE_GROUPS.join('|');

/** The query of a report. */
const UsageQuery = z.object({
  from: dayOrMoment.optional().describe('The first day or time, in UTC. Default: 30 days before `to`.'),
  to: dayOrMoment.optional().describe('The end of the range, exclusive. Default: now.'),
  group_by: z
    .string()
    .regex(new RegExp(`^(${groups})(,(${groups}))*$`), `give a comma-separated list of ${USAGE_GROUPS.join(', ')}`)
    .transform((text) => text.split(','))
    .optional()
    .meta({
      type: 'string',
      description:
        'Returns a row for each day, project, model, key, agent or version of an agent, or each combination. Default: a single row.',
      examples: ['day,model'],
    }),
});

const route = routesOf('Operation');

const report = route('get', '/v1/usage', 'readUsage', {
  summary: 'Sum the usage: turns, rounds, calls, tokens and cost',
  description:
    'Covers the last 30 days unless `from` and `to` are given. Includes usage of deleted turns. A key sees its own project, and an admin key sees all projects. After a few minutes, usage counts at the start of its quarter of an hour. After 35 days, it counts at the start of its UTC day.',
  request: { query: UsageQuery },
  answers: { 200: jsonAnswer('A row for each group, sorted by group.', listOf(UsageRow)) },
  refusals: ['invalid_value'],
});

/** Serves `GET /v1/usage`. */
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

/** A day, or a time as RFC 3339. A time without an offset is in UTC. */
function inUtc(time: string | undefined): string | null {
  if (time === undefined) return null;
  const isComplete = !time.includes('T') || /(Z|[+-]\d\d:?\d\d)$/.test(time);
  return new Date(isComplete ? time : `${time}Z`).toISOString();
}

function presentUsage(sum: UsageSum) {
  const { turns, rounds } = sum;
  const groups = USAGE_GROUPS.flatMap((group) => (sum[group] === undefined ? [] : [[group, sum[group]]]));
  return {
    ...(Object.fromEntries(groups) as Pick<UsageSum, UsageGroup>),
    ...{ turns, rounds, tool_calls: sum.toolCalls, input_tokens: sum.inputTokens, output_tokens: sum.outputTokens },
    ...{ total_tokens: sum.totalTokens, cached_input_tokens: sum.cachedInputTokens },
    ...{ cache_write_tokens: sum.cacheWriteTokens, reasoning_tokens: sum.reasoningTokens, cost_usd: sum.costUsd },
  };
}
