import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';

/** Deletes bulks that were completed a week ago: what their filters name may be what a person said. None of their turns is left. */
export async function deleteOldBulks(db: Db): Promise<void> {
  await write(db, sql`delete from bulks where completed_at < now() - interval '7 days'`);
}
