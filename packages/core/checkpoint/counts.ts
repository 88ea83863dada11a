import { sql } from 'kysely';
import { read } from '../postgres/read-write.ts';
import type { Db } from './tables.ts';

/** The current work: active turns by status, late turns, and pending deliveries. */
export type WorkCounts = { turns: Record<string, number>; late: number; deliveries: number };

/** Counts active turns and pending deliveries, at a cost that does not grow with the database. */
export async function countWork(db: Db): Promise<WorkCounts> {
  const ofTurns = sql<{ status: string; count: number; late: number }>`
    select status, count(*)::int as count, (count(*) filter (where due_at < now()))::int as late
    from work group by status`;
  const rows = await read(db, ofTurns);
  const ofDeliveries = sql<{ count: number }>`
    select count(*)::int as count from deliveries where due_at is not null`;
  const pending = await read(db, ofDeliveries);
  return {
    turns: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
    late: rows.reduce((sum, { late }) => sum + late, 0),
    deliveries: pending[0]?.count ?? 0,
  };
}

/**
 * Counts the due deliveries that wait for a worker, and the deliveries that a worker sends now. Leaves out later
 * retries.
 */
export async function countDueDeliveries(db: Db): Promise<{ waiting: number; active: number }> {
  const query = sql<{ waiting: number; active: number }>`
    select (count(*) filter (where due_at <= now()))::int as waiting, (count(*) filter (where lease_until > now()))::int as active
    from deliveries where due_at is not null`;
  const [counts] = await read(db, query);
  return counts ?? { waiting: 0, active: 0 };
}

/**
 * Finds when the turns of each provider may ask again after a rate limit: for a model at its earliest retry, for a
 * provider when its last model may. Leaves out providers without such a turn.
 */
export async function findRateLimits(db: Db): Promise<Map<string, string>> {
  const query = sql<{ provider: string; until: string }>`
    select provider, max(until)::text as until from (
      select provider, model, min(retry_at) as until from work
      where rate_limited and step like 'r%' and retry_at > now() and background ->> 'step' is distinct from step
        and not exists (select from provider_waits where turn_id = work.id) group by provider, model
    ) as limited group by provider`;
  const rows = await read(db, query);
  return new Map(rows.map(({ provider, until }) => [provider, until]));
}

/** A project and its number of turns, up to `MAX_COUNTED` + 1. */
export type ProjectTurns = { project: string; turns: number };

const MAX_PROJECTS = 100;

/** The number up to which turns are counted, so that a start stays fast as the database grows. */
export const MAX_COUNTED = 1_000;

/** Counts the turns of projects that are not in `known`. Looks at a hundred projects at most. */
export async function countTurnsOfOtherProjects(db: Db, known: string[]): Promise<ProjectTurns[]> {
  const query = sql<ProjectTurns>`
    with recursive found as (
      select 1 as position, (select project from turns order by project limit 1) as project
      union all
      select position + 1, (select project from turns where project > found.project order by project limit 1)
      from found where found.project is not null and position < ${MAX_PROJECTS}
    )
    select project, (
      select count(*)::int from (select from turns where turns.project = found.project limit ${MAX_COUNTED + 1}) as counted
    ) as turns
    from found where project is not null and project not in (select json_array_elements_text(${known}::json))`;
  const rows = await read(db, query);
  return rows;
}
