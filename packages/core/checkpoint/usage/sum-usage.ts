import { type RawBuilder, sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';

/** The properties that usage may be grouped by. */
export const USAGE_GROUPS = ['day', 'project', 'model', 'key', 'agent', 'agent_version'] as const;
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
  agent?: string | null;
  /** As in `support@7`. */
  agent_version?: string | null;
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
  const isByAgent = grouped.some((group) => group === 'agent' || group === 'agent_version');
  const query = sql<UsageSum>`
    with used as (
      select at, project, model, key_id, agent as of_agent, ${FIGURES} from usage_records where ${within}
      union all
      select at, project, model, nullif(key_id, ''), null, ${FIGURES} from usage_sums where ${within}
      ${isByAgent ? agentSums(within) : sql``}
    )
    select ${sql.join(columns, sql``)} ${SUMS} from used ${grouped.length > 0 ? sql`group by ${names}` : sql``}
    ${isByAgent ? HAS_USAGE : sql``} ${grouped.length > 0 ? sql`order by ${names}` : sql``}`;
  return read(db, query);
}

const GROUP_COLUMNS: Record<UsageGroup, RawBuilder<unknown>> = {
  day: sql`to_char(at at time zone 'UTC', 'YYYY-MM-DD')`,
  project: sql`project`,
  model: sql`model`,
  key: sql`key_id`,
  agent: sql`split_part(of_agent, '@', 1)`,
  agent_version: sql`of_agent`,
};

/** Moves the usage of agents from the sums of all turns to their agents. `usage_sums` includes it. */
function agentSums(within: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`union all
      select at, project, model, nullif(key_id, ''), agent, ${FIGURES} from agent_usage_sums where ${within}
      union all
      select at, project, model, nullif(key_id, ''), null, ${TAKEN_AWAY} from agent_usage_sums where ${within}`;
}

/** The condition that a group has usage. The sums of all turns may belong to agents only. */
const HAS_USAGE = sql`having sum(turns) <> 0 or sum(rounds) <> 0 or sum(total_tokens) <> 0 or sum(cost_usd) <> 0 or sum(unpriced) <> 0`;

const TAKEN_AWAY = sql`-turns, -rounds, -tool_calls, -input_tokens, -output_tokens, -total_tokens, -cached_input_tokens,
        -cache_write_tokens, -reasoning_tokens, -cost_usd, -unpriced`;

const FIGURES = sql`turns, rounds, tool_calls, input_tokens, output_tokens, total_tokens, cached_input_tokens,
        cache_write_tokens, reasoning_tokens, cost_usd, unpriced`;

const sum = (column: string) => sql`coalesce(sum(${sql.ref(column)}), 0)::double precision`;

const SUMS = sql`${sum('turns')} as turns, ${sum('rounds')} as rounds, ${sum('tool_calls')} as "toolCalls",
      ${sum('input_tokens')} as "inputTokens", ${sum('output_tokens')} as "outputTokens",
      ${sum('total_tokens')} as "totalTokens", ${sum('cached_input_tokens')} as "cachedInputTokens",
      ${sum('cache_write_tokens')} as "cacheWriteTokens", ${sum('reasoning_tokens')} as "reasoningTokens",
      case when coalesce(sum(unpriced), 0) = 0 then ${sum('cost_usd')} end as "costUsd"`;
