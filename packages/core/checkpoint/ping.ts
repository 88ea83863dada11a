import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Asks the database for an answer, and nothing else; fails as any statement does when there is none. */
export async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db);
}
