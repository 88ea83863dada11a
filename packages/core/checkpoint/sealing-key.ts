import { read, write } from '../postgres/read-write.ts';
import type { Db } from './tables.ts';

/** The one key of the database that seals what callers keep. The first proposal becomes it; later callers get that one. */
export async function findOrCreateSealingKey(db: Db, propose: () => string): Promise<string> {
  const known = await select(db);
  if (known) return known;

  const proposal = db
    .insertInto('sealing_keys')
    .values({ key: propose() })
    .onConflict((conflict) => conflict.column('id').doNothing());
  await write(db, proposal);
  return (await select(db)) ?? findOrCreateSealingKey(db, propose);
}

async function select(db: Db): Promise<string | undefined> {
  const [row] = await read(db, db.selectFrom('sealing_keys').select('key'));
  return row?.key;
}
