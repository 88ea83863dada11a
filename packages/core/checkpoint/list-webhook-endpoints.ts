import type { WebhookEndpoint } from '../turn/webhook-endpoint.ts';
import type { Db } from './database.ts';
import { selectWebhookEndpoints } from './select-webhook-endpoints.ts';

/** A project's webhook endpoints, newest first; `before` is the last id of the page before. */
export async function listWebhookEndpoints(
  db: Db,
  project: string,
  page: { before?: string; limit: number },
): Promise<WebhookEndpoint[]> {
  const query = selectWebhookEndpoints(db, project).orderBy('id', 'desc').limit(page.limit);
  return (page.before ? query.where('id', '<', page.before) : query).execute();
}
