import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Gives a project's own endpoint a new secret; the one before signs too for a day, and any older one no more. */
export async function rotateEndpointSecret(
  db: Db,
  { project, id }: { project: string; id: string },
  secret: string,
): Promise<void> {
  await sql`
    update webhook_endpoints set secret = ${secret}, old_secret = secret, old_secret_until = now() + interval '1 day'
    where id = ${id} and project = ${project}`.execute(db);
}
