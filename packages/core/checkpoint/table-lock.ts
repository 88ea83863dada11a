import { sql } from 'kysely';
import { read } from '../postgres/read-write.ts';
import type { Db } from './tables.ts';

/** A table that another PostgreSQL session has locked for `seconds`, and the application name of that session. */
export type TableLock = { table: string; pid: number; application: string; seconds: number };

/** The minimum age of a reported lock. Shorter locks belong to migrations or to PostgreSQL itself. */
const LASTS_S = 3;

/**
 * Finds the oldest lock of at least 3 s that keeps Pawl from writing to a table, or null. A role that may not see
 * other roles' transactions finds it at once, with 0 seconds.
 */
export async function findTableLock(db: Db): Promise<TableLock | null> {
  const [lock] = await read<TableLock>(
    db,
    sql`
    select relname as table, pg_locks.pid, coalesce(application_name, '') as application,
      coalesce(extract(epoch from now() - xact_start)::int, 0) as seconds
    from pg_locks
    join pg_class on pg_class.oid = relation and relkind = 'r' and relnamespace in (
      select oid from pg_namespace where nspname in ('public', 'bullmq'))
    join pg_stat_activity on pg_stat_activity.pid = pg_locks.pid
    where granted and database = (select oid from pg_database where datname = current_database())
      and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      and (xact_start is null or xact_start < now() - ${LASTS_S} * interval '1 second')
    order by xact_start limit 1`,
  );
  return lock ?? null;
}
