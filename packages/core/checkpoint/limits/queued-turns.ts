import { sql } from 'kysely';
import type { Trx } from '../tables.ts';

/**
 * Lets one transaction at a time start turns of a project, until its commit: what it counts then stays so. It is the first
 * lock of its transaction, so that all take locks in one order.
 */
export async function lockQueuedTurns(trx: Trx, project: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('pawl: queued turns of ' || ${project}, 0))`.execute(trx);
}

/** Counts the turns of a project that have not begun, up to `most`. */
export async function countQueuedTurns(trx: Trx, project: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select from work where project = ${project} and status = 'queued' limit ${most}) as counted`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Does work of a transaction that may be undone by itself: where it fails, the transaction goes on without it. */
export async function withinSavepoint<Done>(trx: Trx, work: () => Promise<Done>): Promise<Done> {
  await sql`savepoint work`.execute(trx);
  try {
    const done = await work();
    await sql`release savepoint work`.execute(trx);
    return done;
  } catch (error) {
    await sql`rollback to savepoint work`.execute(trx);
    throw error;
  }
}
