import { sql } from 'kysely';
import { read } from '../postgres/read-write.ts';
import type { Db } from './tables.ts';

/** The work there is: active turns by status, how many of them are late, pending deliveries. */
export type WorkCounts = { turns: Record<string, number>; late: number; deliveries: number };

/** Counts active turns and pending deliveries, so that it costs the same however old the database is. */
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

/** How many deliveries are due and wait for a worker, and how many workers are on; those that are to be tried again later are neither. */
export async function countDueDeliveries(db: Db): Promise<{ waiting: number; active: number }> {
  const query = sql<{ waiting: number; active: number }>`
    select (count(*) filter (where due_at <= now()))::int as waiting, (count(*) filter (where lease_until > now()))::int as active
    from deliveries where due_at is not null`;
  const [counts] = await read(db, query);
  return counts ?? { waiting: 0, active: 0 };
}

/**
 * Until when the turns of each provider wait for a rate limit: when the first one of the model comes back that is limited for the
 * longest. A provider for whose limits no turn waits is not among them.
 */
export async function findRateLimits(db: Db): Promise<Map<string, string>> {
  const query = sql<{ provider: string; until: string }>`
    select provider, max(until)::text as until from (
      select provider, model, min(retry_at) as until from work
      where rate_limited and step like 'r%' and retry_at > now()
        and not exists (select from provider_waits where turn_id = work.id) group by provider, model
    ) as limited group by provider`;
  const rows = await read(db, query);
  return new Map(rows.map(({ provider, until }) => [provider, until]));
}

/** A project and how many turns it has, up to one more than is counted. */
export type ProjectTurns = { project: string; turns: number };

const MAX_PROJECTS = 100;

/** Counted up to here, so that a start costs the same however old the database is. */
export const MAX_COUNTED = 1_000;

/** The projects that have turns and are none of `known`, with how many; a hundred projects are looked at. */
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
