import { sql } from 'kysely';
import { read } from '../postgres/read-write.ts';
import type { Db } from './tables.ts';

/** A table that another session of PostgreSQL has locked, for how many `seconds`, and what that session calls itself. */
export type TableLock = { table: string; pid: number; application: string; seconds: number };

/** Shorter ones are those of a migration, or of PostgreSQL itself. */
const LASTS_S = 3;

/**
 * The oldest lock that keeps Pawl from writing to one of its tables, or null. It has been held for 3 s or longer. A role that may
 * not see the transactions of others finds it at once, with 0 seconds.
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
