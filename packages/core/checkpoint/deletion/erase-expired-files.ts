import { sql } from 'kysely';
import type { Db } from '../tables.ts';
import { isOnlyEraser } from './erase-aged.ts';

const MAX_FILES = 100;

/**
 * Erases a batch of expired files, each with its blob if no other row refers to that blob. Skips a file that another
 * transaction deletes. Returns the ids. `goesOn` means that more files may be due.
 */
export async function eraseExpiredFiles(db: Db): Promise<{ fileIds: string[]; goesOn: boolean }> {
  return db.transaction().execute(async (trx) => {
    if (!(await isOnlyEraser(trx))) return { fileIds: [], goesOn: false };
    const { rows } = await sql<{ id: string }>`
      delete from files where id = any(array(
        select id from files where expires_at <= now() order by expires_at limit ${MAX_FILES} for update skip locked))
      returning id`.execute(trx);
    return { fileIds: rows.map(({ id }) => id), goesOn: rows.length === MAX_FILES };
  });
}
