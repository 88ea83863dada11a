import { createRoute, type RouteHandler } from '@hono/zod-openapi';
import { sumUsage, USAGE_GROUPS, type UsageSum } from '#core/checkpoint/usage/sum-usage.ts';
import { RequestRefused } from '#core/failure.ts';
import type { ApiContext } from '../../context.ts';
import { type ApiEnv, json, makeRouter } from '../../http/router.ts';
import { hasScope } from '../../http/scopes.ts';
import { refusals } from '../../schemas/errors/refusals.ts';
import { listOf } from '../../schemas/page.ts';
import { UsageQuery, UsageRow } from './usage-row.ts';

const report = createRoute({
  method: 'get',
  path: '/v1/usage',
  operationId: 'readUsage',
  tags: ['Operation'],
  summary: 'Sum what was used: turns, rounds, calls, tokens and cost',
  description:
    'Of the last 30 days, unless `from` and `to` say otherwise; also what has been deleted since. A key sees its own ' +
    'project, an admin key all of them. Usage that is older than some minutes counts at the beginning of its quarter of an hour, ' +
    'and after 35 days at the beginning of its UTC day.',
  request: { query: UsageQuery },
  responses: {
    200: { description: 'A row for each group, in their order.', content: json(listOf(UsageRow)) },
    ...refusals('invalid_value'),
  },
});

/** `GET /v1/usage`. */
export function usageRoutes(context: ApiContext) {
  return makeRouter().openapi(report, reportUsage(context));
}

function reportUsage({ readAnywhere }: ApiContext): RouteHandler<typeof report, ApiEnv> {
  return async (c) => {
    const { from, to, group_by = [] } = c.req.valid('query');
    const times = { from: inUtc(from), to: inUtc(to) };
    if (times.from !== null && times.to !== null && times.from >= times.to)
      throw new RequestRefused(400, 'invalid_value', '`to` is not valid: give a time after `from`.', 'to');
    const groups = USAGE_GROUPS.filter((group) => group_by.includes(group));
    const project = hasScope(c.get('scopes'), 'admin') ? null : c.get('project');
    const rows = await readAnywhere((db) => sumUsage(db, { project, ...times, groups }));
    return c.json({ object: 'list' as const, data: rows.map(presentUsage), has_more: false, next_cursor: null }, 200);
  };
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
