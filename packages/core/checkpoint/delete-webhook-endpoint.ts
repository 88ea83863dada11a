import { sql } from 'kysely';
import type { Db } from './database.ts';
import { stopDeliveries } from './stop-deliveries.ts';

/** Deletes a project's own endpoint; what was still to be sent to it is stopped. */
export async function deleteWebhookEndpoint(db: Db, project: string, id: string): Promise<void> {
  await sql`
    with gone as (delete from webhook_endpoints where id = ${id} and project = ${project} returning id),
    stopped as (${stopDeliveries(sql`endpoint_id = (select id from gone)`)})
    select id from gone`.execute(db);
}
