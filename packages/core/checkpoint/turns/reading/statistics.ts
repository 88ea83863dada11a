import { type RawBuilder, sql } from 'kysely';
import { firstIdAt } from '../../../id.ts';
import { read } from '../../../postgres/read-write.ts';
import { TURN_STATUSES, type TurnStatus } from '../../../turn/turn.ts';
import { isAddedItems, isVisible } from '../../sql/visible.ts';
import type { Db } from '../../tables.ts';

/** The values below which 50 and 95 percent of all values are. Null without values. */
export type Percentiles = { p50: number; p95: number } | null;

/** The precision of a figure: counted, estimated from a sample, or a minimum if more was not counted. */
export type Precision = 'exact' | 'sampled' | 'at_least';

/** The figures of the turns that were created in a period. */
export type Figures = {
  precision: Precision;
  /** By their current status. */
  turns: Record<TurnStatus, number>;
  /** From creation to end, of turns that have begun and ended. */
  durationMs: Percentiles;
  /** From creation to start. */
  queueWaitMs: Percentiles;
  inputTokens: number;
  outputTokens: number;
};

/** The failed turns of an error code, with the newest as an example. */
export type FailureGroup = {
  errorCode: string;
  turns: number;
  precision: Precision;
  example: { id: string; project: string; message: string; createdAt: string };
};

/** The figures of the examined turns of an agent's version, such as `support@7`. */
export type AgentFigures = Omit<Figures, 'queueWaitMs'> & { agent: string };

export type Statistics = { total: Figures; buckets: Figures[]; failures: FailureGroup[]; agents: AgentFigures[] };

/** Equal periods of time, in ms since 1970. `project` is null for all projects. */
export type StatisticsRange = { project: string | null; fromMs: number; toMs: number; buckets: number };

/** The maximum of examined turns, of index entries that are counted beyond them, and of grouped failed turns. */
export type Bounds = { turns: number; entries: number; failures: number };

const BOUNDS: Bounds = { turns: 10_000, entries: 500_000, failures: 1_000 };

/**
 * Reads the figures of the turns that were created in a range, in one statement with a bounded cost. If a bucket
 * exceeds its share, its newest turns are examined, and the others are counted by their index entries.
 */
export async function readStatistics(db: Db, range: StatisticsRange, bounds = BOUNDS): Promise<Statistics> {
  const share = Math.max(1, Math.floor(bounds.turns / range.buckets));
  const most = Math.max(share + 1, Math.floor(bounds.entries / range.buckets));
  const query = sql<AsRead>`
    with recursive ${projects(range.project)},
    bucket as (select * from json_to_recordset(${spansOf(range)}::json) as span (number int, lower text, upper text)),
    looked as materialized (
      select bucket.number, recent.* from bucket cross join lateral (
        select id, status, created_at, started_at, completed_at, compacted_before, agent, ${isVisible} and not ${isAddedItems} as seen
        from turn_states as turns where ${ofRange(range.project)} order by id desc limit ${share + 1}) as recent
    ),
    seen as materialized (select * from looked where seen),
    ${counted(range.project, { share, most })}, ${measured}, ${measuredByAgent}, ${failed(range, bounds.failures)}
    select (select json_agg(counted) from counted) as counted,
      (select json_agg(statuses) from statuses) as statuses, (select json_agg(times) from times) as times,
      (select json_agg(tokens) from tokens where number is not null) as tokens,
      ${agentsAsRead},
      (select json_agg(failure order by failure.turns desc, failure."errorCode") from failure) as failures,
      (select count(*)::int from failing) as failing`;
  const [row] = await read(db, query);
  return toStatistics(row, range, { ...bounds, share, most });
}

type Counted = { number: number; looked: number; entries: number };
type Sum = { number: number; input: number; output: number };
type Times = { number: number | null; duration: number[] | null; wait: number[] | null };
type AsRead = {
  counted: Counted[] | null;
  statuses: { number: number; status: TurnStatus; turns: number }[] | null;
  times: Times[] | null;
  tokens: Sum[] | null;
  failures: Omit<FailureGroup, 'precision'>[] | null;
  agents: AgentAsRead[] | null;
  failing: number;
};

type AgentAsRead = {
  agent: string;
  duration: number[] | null;
  statuses: Partial<Record<TurnStatus, number>>;
  input: number;
  output: number;
};

/** Returns the range of ids of each bucket. Ids begin with their time, so a period is a range of the index. */
function spansOf({ fromMs, toMs, buckets }: StatisticsRange) {
  const idAt = (number: number) => firstIdAt('turn', fromMs + ((toMs - fromMs) * number) / buckets);
  return Array.from({ length: buckets }, (_, number) => ({ number, lower: idAt(number), upper: idAt(number + 1) }));
}

function ofRange(project: string | null): RawBuilder<unknown> {
  const ofProject = project === null ? sql`` : sql`project = ${project} and`;
  return sql`${ofProject} id >= bucket.lower and id < bucket.upper`;
}

const MAX_PROJECTS = 100;

/** Selects the given project, or the projects that have turns. One look at the index finds each project. */
function projects(project: string | null): RawBuilder<unknown> {
  if (project !== null) return sql`project (name, position) as (select ${project}::text, 1)`;
  return sql`project (name, position) as (
    select (select project from turns order by project limit 1), 1
    union all
    select (select turns.project from turns where turns.project > project.name order by turns.project limit 1), position + 1
    from project where name is not null and position < ${MAX_PROJECTS})`;
}

/** Counts the examined rows of each bucket, and all its rows up to a bound. */
function counted(project: string | null, { share, most }: { share: number; most: number }): RawBuilder<unknown> {
  return sql`counted as (
    select number, looked, case when looked <= ${share} then looked else (
      select count(*)::int from (select from turns where ${ofRange(project)} limit ${most}) as entry) end as entries
    from bucket join (select number, count(*)::int as looked from looked group by number) as each using (number))`;
}

const percentiles = (ms: RawBuilder<unknown>) => sql`percentile_cont(array[0.5, 0.95]) within group (order by ${ms})`;
const msUntil = (end: RawBuilder<unknown>) =>
  sql`case when started_at is not null then extract(epoch from ${end} - created_at)::double precision * 1000 end`;

/** The figures of the examined rows. The times of the whole range have no number. */
const measured = sql`
  statuses as (select number, status, count(*)::int as turns from seen group by number, status),
  times as (
    select number, ${percentiles(msUntil(sql`completed_at`))} as duration, ${percentiles(msUntil(sql`started_at`))} as wait
    from seen group by grouping sets ((number), ())),
  tokens as (
    select number, agent, sum((usage ->> 'input_tokens')::double precision) as input, sum((usage ->> 'output_tokens')::double precision) as output
    from seen cross join lateral (
      select usage from rounds where turn_id = seen.id
      union all
      select usage from compactions where turn_id = seen.id and seen.compacted_before is not null) as request
    where usage is not null group by grouping sets ((number), (agent)))`;

const MAX_AGENTS = 100;

/** The figures of the versions of agents with most examined turns. */
const measuredByAgent = sql`
  agent_turns as (select agent, status, count(*)::int as turns from seen where agent is not null group by agent, status),
  agent_times as (
    select agent, count(*)::int as turns, ${percentiles(msUntil(sql`completed_at`))} as duration
    from seen where agent is not null group by agent order by turns desc, agent limit ${MAX_AGENTS})`;

const agentsAsRead = sql`(select json_agg(json_build_object('agent', agent, 'duration', duration,
        'statuses', (select json_object_agg(status, turns) from agent_turns where agent_turns.agent = agent_times.agent),
        'input', coalesce(tokens.input, 0), 'output', coalesce(tokens.output, 0)) order by turns desc, agent)
      from agent_times left join tokens using (agent)) as agents`;

/** Selects the newest failed turns of the range, by their error code. */
function failed({ fromMs, toMs }: StatisticsRange, limit: number): RawBuilder<unknown> {
  // PostgreSQL plans a literal by its number of rows, so an index finds a rare status.
  return sql`failing as materialized (
    select one.* from project cross join lateral (
      select id, project, error, created_at from turns
      where project = project.name and status = 'failed' and ${isVisible}
        and id >= ${firstIdAt('turn', fromMs)} and id < ${firstIdAt('turn', toMs)}
      order by id desc limit ${limit + 1}) as one
    order by id desc limit ${limit + 1}),
  failure as (
    select distinct on (code) code as "errorCode", (count(*) over (partition by code))::int as turns,
      json_build_object('id', id, 'project', project, 'message', error ->> 'message', 'createdAt', created_at) as example
    from (select *, error ->> 'code' as code from failing) as coded order by code, id desc)`;
}

type Used = Bounds & { share: number; most: number };

function toStatistics(row: AsRead | undefined, range: StatisticsRange, used: Used): Statistics {
  const buckets = Array.from({ length: range.buckets }, (_, number) => figuresOf(row, number, used));
  const total = buckets.reduce(sumFigures, { ...NO_FIGURES, turns: { ...NO_FIGURES.turns } });
  const precision = (row?.failing ?? 0) > used.failures ? ('at_least' as const) : ('exact' as const);
  const failures = (row?.failures ?? []).map((group) => ({ ...group, precision }));
  const agents = (row?.agents ?? []).map((one) => figuresOfAgent(one, total.precision));
  return { total: { ...total, ...timesOf(row, null) }, buckets, failures, agents };
}

const NO_FIGURES: Figures = {
  ...{ precision: 'exact', durationMs: null, queueWaitMs: null, inputTokens: 0, outputTokens: 0 },
  turns: Object.fromEntries(TURN_STATUSES.map((status) => [status, 0])) as Record<TurnStatus, number>,
};

/** Returns the figures of a bucket. Turns that were not examined are assumed to be like the examined turns. */
function figuresOf(row: AsRead | undefined, number: number, { share, most }: Used): Figures {
  const { looked, entries } = row?.counted?.find((one) => one.number === number) ?? { looked: 0, entries: 0 };
  const scale = looked > share ? entries / looked : 1;
  const precision = looked <= share ? 'exact' : entries >= most ? 'at_least' : 'sampled';
  const tokens = row?.tokens?.find((sum) => sum.number === number);
  const turns = { ...NO_FIGURES.turns };
  for (const count of row?.statuses ?? [])
    if (count.number === number) turns[count.status] = Math.round(count.turns * scale);
  return {
    ...{ precision, turns, ...timesOf(row, number) },
    inputTokens: Math.round((tokens?.input ?? 0) * scale),
    outputTokens: Math.round((tokens?.output ?? 0) * scale),
  };
}

/** Returns the figures of an agent's examined turns. If not all turns were examined, it may have more. */
function figuresOfAgent({ agent, duration, statuses, input, output }: AgentAsRead, precision: Precision): AgentFigures {
  const turns = { ...NO_FIGURES.turns, ...statuses };
  const durationMs = percentilesOf(duration);
  const bound: Precision = precision === 'exact' ? 'exact' : 'at_least';
  return { agent, precision: bound, turns, durationMs, inputTokens: input, outputTokens: output };
}

function timesOf(row: AsRead | undefined, number: number | null): Pick<Figures, 'durationMs' | 'queueWaitMs'> {
  const times = row?.times?.find((one) => one.number === number);
  return { durationMs: percentilesOf(times?.duration), queueWaitMs: percentilesOf(times?.wait) };
}

function percentilesOf(values: number[] | null | undefined): Percentiles {
  const [p50, p95] = values ?? [];
  return p50 === undefined || p95 === undefined ? null : { p50: Math.round(p50), p95: Math.round(p95) };
}

const WORST: Precision[] = ['exact', 'sampled', 'at_least'];

function sumFigures(sum: Figures, { precision, turns, inputTokens, outputTokens }: Figures): Figures {
  for (const status of TURN_STATUSES) sum.turns[status] += turns[status];
  return {
    ...sum,
    precision: WORST[Math.max(WORST.indexOf(sum.precision), WORST.indexOf(precision))] ?? precision,
    inputTokens: sum.inputTokens + inputTokens,
    outputTokens: sum.outputTokens + outputTokens,
  };
}
