import { type RawBuilder, sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';

/** The properties that usage may be grouped by. */
export const USAGE_GROUPS = ['day', 'project', 'model', 'key'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/**
 * A query for the usage of a project or of all, from a time to before another, in RFC 3339. Without times: the last
 * 30 days.
 */
export type UsageQuery = {
  project: string | null;
  from: string | null;
  to: string | null;
  groups: readonly UsageGroup[];
};

/** The usage of a group. `costUsd` is null if a price is unknown. */
export type UsageSum = {
  day?: string;
  project?: string;
  model?: string;
  key?: string | null;
  turns: number;
  rounds: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  costUsd: number | null;
};

/** Sums usage by groups, in their order. Without groups it returns one sum, even without usage. */
export async function sumUsage(db: Db, { project, from, to, groups }: UsageQuery): Promise<UsageSum[]> {
  const grouped = USAGE_GROUPS.filter((group) => groups.includes(group));
  const names = sql.join(grouped.map((group) => sql.ref(group)));
  const columns = grouped.map((group) => sql`${GROUP_COLUMNS[group]} as ${sql.ref(group)}, `);
  const within = sql`at >= coalesce(${from}::timestamptz, coalesce(${to}::timestamptz, now()) - interval '30 days')
    and (${to}::timestamptz is null or at < ${to}::timestamptz) ${project === null ? sql`` : sql`and project = ${project}`}`;
  const query = sql<UsageSum>`
    with used as (
      select at, project, model, key_id, ${FIGURES} from usage_records where ${within}
      union all
      select at, project, model, nullif(key_id, ''), ${FIGURES} from usage_sums where ${within}
    )
    select ${sql.join(columns, sql``)} ${SUMS} from used ${grouped.length > 0 ? sql`group by ${names} order by ${names}` : sql``}`;
  return read(db, query);
}

const GROUP_COLUMNS: Record<UsageGroup, RawBuilder<unknown>> = {
  day: sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD')`,
  project: sql`project`,
  model: sql`model`,
  key: sql`key_id`,
};

const FIGURES = sql`turns, rounds, tool_calls, input_tokens, output_tokens, total_tokens, cached_input_tokens,
        cache_write_tokens, reasoning_tokens, cost_usd, unpriced`;

const sum = (column: string) => sql`coalesce(sum(${sql.ref(column)}), 0)::double precision`;

const SUMS = sql`${sum('turns')} as turns, ${sum('rounds')} as rounds, ${sum('tool_calls')} as "toolCalls",
      ${sum('input_tokens')} as "inputTokens", ${sum('output_tokens')} as "outputTokens",
      ${sum('total_tokens')} as "totalTokens", ${sum('cached_input_tokens')} as "cachedInputTokens",
      ${sum('cache_write_tokens')} as "cacheWriteTokens", ${sum('reasoning_tokens')} as "reasoningTokens",
      case when coalesce(sum(unpriced), 0) = 0 then ${sum('cost_usd')} end as "costUsd"`;
