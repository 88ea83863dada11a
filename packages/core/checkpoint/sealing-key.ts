import { sql } from 'kysely';
import { read, write } from '../postgres/read-write.ts';
import type { Db } from './tables.ts';

/** Returns the database's only key that seals opaque data for callers. Stores a proposed key if there is no key yet. */
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
