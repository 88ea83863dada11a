import { sql } from 'kysely';
import type { WebhookEndpoint } from '../turn/webhook-endpoint.ts';
import type { Db } from './database.ts';

/** Each event of a project is told to all its endpoints, so there is an end to them. */
export const MAX_WEBHOOK_ENDPOINTS = 100;

export type NewWebhookEndpoint = Pick<WebhookEndpoint, 'id' | 'url' | 'description' | 'events' | 'withTurn'> & {
  project: string;
  secret: string;
};

/** Records an endpoint, which hears of what happens from now on; false where the project has as many as it may have. */
export async function createWebhookEndpoint(db: Db, endpoint: NewWebhookEndpoint): Promise<boolean> {
  const { id, project, url, description, events, withTurn, secret } = endpoint;
  const { rows } = await sql`
    insert into webhook_endpoints (id, project, url, description, events, with_turn, secret)
    select ${id}, ${project}, ${url}, ${description}::text, ${events}::json, ${withTurn}, ${secret}
    where (select count(*) from webhook_endpoints where project = ${project}) < ${MAX_WEBHOOK_ENDPOINTS}
    returning id`.execute(db);
  return rows.length > 0;
}
