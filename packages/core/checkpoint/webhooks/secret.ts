import { read, write } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';

/** The project's own webhook secret. The first proposal becomes it; later callers get that one. */
export async function findOrCreateWebhookSecret(db: Db, project: string, propose: () => string): Promise<string> {
  const known = await select(db, project);
  if (known) return known;

  const proposal = db
    .insertInto('webhook_secrets')
    .values({ project, secret: propose() })
    .onConflict((conflict) => conflict.column('project').doNothing());
  await write(db, proposal);
  return (await select(db, project)) ?? findOrCreateWebhookSecret(db, project, propose);
}

async function select(db: Db, project: string): Promise<string | undefined> {
  const [row] = await read(db, db.selectFrom('webhook_secrets').select('secret').where('project', '=', project));
  return row?.secret;
}
