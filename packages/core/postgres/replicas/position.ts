import { type Kysely, sql } from 'kysely';
import { batchConcurrent } from '../batch.ts';
import { read } from '../read-write.ts';

/** The position of a primary in its log. `lsn` alone is not enough: after a failover another log may have passed it. */
export type Position = { lsn: string; timeline: string; system: string; database: string };

/** The state of a server that should be a replica, compared with a position. */
export type Standing = { isStandby: boolean; isSameDatabase: boolean; isOnTimeline: boolean; hasReached: boolean };

/**
 * Returns a function that asks a primary for a position after all commits that any caller may have seen. Concurrent
 * callers share an answer.
 */
export function positionsOf<Tables>(primary: Kysely<Tables>): () => Promise<Position> {
  const askWithOthers = batchConcurrent<null, Position>(async (group) => {
    const [position] = await read<Position>(primary, POSITION);
    for (const { resolve } of group) resolve(position as Position);
  }, Number.MAX_SAFE_INTEGER);
  return () => askWithOthers(null);
}

const POSITION = sql<Position>`
  select lsn::text as lsn, left(pg_walfile_name(lsn), 8) as timeline, system_identifier::text as system,
    current_database() as database
  from pg_current_wal_flush_lsn() as lsn, pg_control_system()`;

/** Asks whether a server has reached a position. A server follows a failover before its control file shows this. */
export async function standingAt<Tables>(server: Kysely<Tables>, position: Position): Promise<Standing> {
  const { lsn, timeline, system, database } = position;
  const [standing] = await read<Standing>(
    server,
    sql`
    select pg_is_in_recovery() as "isStandby",
      system_identifier::text = ${system} and current_database() = ${database} as "isSameDatabase",
      lpad(upper(to_hex(greatest(timeline_id, min_recovery_end_timeline))), 8, '0') = ${timeline} as "isOnTimeline",
      coalesce(pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn, false) as "hasReached"
    from pg_control_system(), pg_control_checkpoint(), pg_control_recovery()`,
  );
  return standing as Standing;
}
