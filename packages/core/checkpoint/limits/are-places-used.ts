import { sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';

/** Whether any turn holds a place or wants one. */
export async function arePlacesUsed(db: Db): Promise<boolean> {
  const query = sql<{ used: boolean }>`select exists (select from work where place = 'held')
      or exists (select from work where place = 'wanted') as used`;
  const [row] = await read(db, query);
  return row?.used ?? false;
}
