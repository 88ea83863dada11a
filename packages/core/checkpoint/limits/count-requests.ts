import { sql } from 'kysely';
import type { Db } from '../tables.ts';

export type NewRequests = { project: string; requests: number };

/** All requests of a project in its minute, including the new requests, and the seconds until the minute ends. */
export type CountedRequests = { project: string; requests: number; secondsLeft: number };

/**
 * Counts requests in the minutes of their projects, by the database's clock, for all processes together. A minute
 * begins with the first request after the previous minute. Each project occurs once. The statement is its own
 * transaction and waits for no disk, so a database crash loses the counts.
 */
export async function countRequests(db: Db, counts: NewRequests[]): Promise<CountedRequests[]> {
  const { rows } = await sql<CountedRequests>`
    insert into request_minutes as minute (project, begun_at, requests)
    select project, clock_timestamp(), requests from json_to_recordset(${counts}::json) as input (project text, requests bigint)
    order by project
    on conflict (project) do update set
      begun_at = case when ${isOver} then excluded.begun_at else minute.begun_at end,
      requests = case when ${isOver} then 0 else minute.requests end + excluded.requests
    returning project, requests::double precision as requests,
      extract(epoch from begun_at + interval '1 minute' - clock_timestamp())::double precision as "secondsLeft"`.execute(
    db,
  );
  return rows;
}

const isOver = sql`minute.begun_at <= excluded.begun_at - interval '1 minute'`;
