import { sql } from 'kysely';
import type { Trx } from '../tables.ts';

/**
 * Lets one transaction at a time start turns of a project until its commit, so that its count stays true. This lock
 * is the first of its transaction, so that all transactions lock in one order.
 */
export async function lockQueuedTurns(trx: Trx, project: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('pawl: queued turns of ' || ${project}, 0))`.execute(trx);
}

export async function countQueuedTurns(trx: Trx, project: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select from work where project = ${project} and status = 'queued' limit ${most}) as counted`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** Runs work in a savepoint. If the work fails, only the work is rolled back, and the transaction can continue. */
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
