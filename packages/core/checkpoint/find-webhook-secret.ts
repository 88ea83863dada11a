import type { Db } from './database.ts';

/** The project's own webhook secret; the first asker's proposal becomes it, and whoever comes second gets the first's. */
export async function findWebhookSecret(db: Db, project: string, propose: () => string): Promise<string> {
  const known = await select(db, project);
  if (known) return known;

  await db
    .insertInto('webhook_secrets')
    .values({ project, secret: propose() })
    .onConflict((conflict) => conflict.column('project').doNothing())
    .execute();
  return (await select(db, project)) ?? findWebhookSecret(db, project, propose);
}

async function select(db: Db, project: string): Promise<string | undefined> {
  const row = await db.selectFrom('webhook_secrets').select('secret').where('project', '=', project).executeTakeFirst();
  return row?.secret;
}
