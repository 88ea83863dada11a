import type { WebhookEndpoint } from '../turn/webhook-endpoint.ts';
import type { Db } from './database.ts';
import { liveSecrets } from './live-secrets.ts';
import { selectWebhookEndpoints } from './select-webhook-endpoints.ts';

/** A project's own webhook endpoint with the secrets that sign for it now, the newest first. */
export async function findWebhookEndpoint(
  db: Db,
  project: string,
  id: string,
): Promise<(WebhookEndpoint & { secrets: string[] }) | undefined> {
  return selectWebhookEndpoints(db, project).select(liveSecrets.as('secrets')).where('id', '=', id).executeTakeFirst();
}
