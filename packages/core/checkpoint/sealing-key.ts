import { sql } from 'kysely';
import { read, write } from '../postgres/read-write.ts';
import type { Db } from './tables.ts';

/** The one key of the database that seals what callers keep. The first proposal becomes it; later callers get that one. */
export async function findOrCreateSealingKey(db: Db, propose: () => string): Promise<string> {
  const known = await select(db);
  if (known) return known;

  await write(db, sql`insert into sealing_keys (key) values (${propose()}) on conflict (id) do nothing`);
  return (await select(db)) ?? findOrCreateSealingKey(db, propose);
}

async function select(db: Db): Promise<string | undefined> {
  const [row] = await read(db, sql<{ key: string }>`select key from sealing_keys`);
  return row?.key;
}
