import { sql } from 'kysely';
import { read, write } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';

/** Returns a project's own webhook secret. Stores a proposed secret if there is no secret yet. */
export async function findOrCreateWebhookSecret(db: Db, project: string, propose: () => string): Promise<string> {
  const known = await select(db, project);
  if (known) return known;

  const proposal = sql`insert into webhook_secrets (project, secret) values (${project}, ${propose()})
    on conflict (project) do nothing`;
  await write(db, proposal);
  return (await select(db, project)) ?? findOrCreateWebhookSecret(db, project, propose);
}

async function select(db: Db, project: string): Promise<string | undefined> {
  const query = sql<{ secret: string }>`select secret from webhook_secrets where project = ${project}`;
  const [row] = await read(db, query);
  return row?.secret;
}
