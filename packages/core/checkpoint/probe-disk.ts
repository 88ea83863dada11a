import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Fails as a write does where the disk of the database is full; `select 1` never would. Leaves nothing behind. */
export async function probeDisk(db: Db): Promise<void> {
  await sql`create temporary table pawl_probe on commit drop as select 1 as one`.execute(db);
}
