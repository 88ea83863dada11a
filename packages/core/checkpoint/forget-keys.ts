import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Drops keys nobody can expect to be remembered any more: older than two days (the contract keeps them one). */
export async function forgetKeys(db: Db): Promise<void> {
  await sql`delete from idempotency_keys where created_at < now() - interval '2 days'`.execute(db);
}
