import { sql } from 'kysely';
import { read, write } from '../../postgres/read-write.ts';
import type { WebhookEndpoint } from '../../turn/request/webhook-endpoint.ts';
import { signingSecrets, stopDeliveries } from '../sql/deliveries.ts';
import type { Db } from '../tables.ts';

/** The maximum of endpoints in a project, since each event may be sent to all endpoints. */
export const MAX_WEBHOOK_ENDPOINTS = 100;

export type NewWebhookEndpoint = Pick<WebhookEndpoint, 'id' | 'url' | 'description' | 'events' | 'withTurn'> & {
  project: string;
  secret: string;
};

/** Saves an endpoint, which receives events from now on. Returns false if the project has its maximum of endpoints. */
export async function createWebhookEndpoint(db: Db, endpoint: NewWebhookEndpoint): Promise<boolean> {
  const { id, project, url, description, events, withTurn, secret } = endpoint;
  const statement = sql`
    insert into webhook_endpoints (id, project, url, description, events, with_turn, secret)
    select ${id}, ${project}, ${url}, ${description}::text, ${events}::json, ${withTurn}, ${secret}
    where (select count(*) from webhook_endpoints where project = ${project}) < ${MAX_WEBHOOK_ENDPOINTS}
    returning id`;
  const rows = await write(db, statement);
  return rows.length > 0;
}

/** Finds a webhook endpoint of this project, with its current signing secrets, newest first. */
export async function findWebhookEndpoint(
  db: Db,
  project: string,
  id: string,
): Promise<(WebhookEndpoint & { secrets: string[] }) | undefined> {
  const query = sql<WebhookEndpoint & { secrets: string[] }>`
    select ${columns}, ${signingSecrets} as secrets from webhook_endpoints where project = ${project} and id = ${id}`;
  return (await read(db, query))[0];
}

/** Lists a project's webhook endpoints, newest first. `before` is the last id of the previous page. */
export async function listWebhookEndpoints(
  db: Db,
  project: string,
  page: { before?: string; limit: number },
): Promise<WebhookEndpoint[]> {
  const behind = page.before ? sql`and id < ${page.before}` : sql``;
  const query = sql<WebhookEndpoint>`
    select ${columns} from webhook_endpoints where project = ${project} ${behind} order by id desc limit ${page.limit}`;
  return read(db, query);
}

/** The new values of an endpoint. An undefined field does not change. */
export type EndpointChange = {
  [Field in 'url' | 'description' | 'events' | 'withTurn' | 'status']?: WebhookEndpoint[Field] | undefined;
};

/**
 * Changes an endpoint of this project. Pending deliveries are sent to its new URL. A disabled endpoint receives no
 * more deliveries, and its pending deliveries are stopped. An endpoint that is enabled starts without failures.
 */
export async function changeWebhookEndpoint(
  db: Db,
  { project, id }: { project: string; id: string },
  { url, description, events, withTurn, status }: EndpointChange,
): Promise<void> {
  const isFresh = url !== undefined || status === 'enabled';
  const statement = sql`
    with changed as (
      update webhook_endpoints set url = coalesce(${url ?? null}, url),
        description = case when ${description !== undefined} then ${description ?? null} else description end,
        events = coalesce(${events ?? null}::jsonb, events), with_turn = coalesce(${withTurn ?? null}, with_turn),
        status = coalesce(${status ?? null}, status),
        disabled_reason = case coalesce(${status ?? null}, status) when 'disabled' then coalesce(disabled_reason, ${BY_CALLER}) end,
        failing_since = case when not ${isFresh} then failing_since end
      where id = ${id} and project = ${project}
      returning id
    ),
    stopped as (${stopDeliveries(sql`endpoint_id = (select id from changed) and ${status === 'disabled'}`)})
    select id from changed`;
  await write(db, statement);
}

const BY_CALLER = 'The endpoint was disabled over the API.';

/**
 * Gives an endpoint of this project a new secret. The previous secret also signs for a day. Older secrets no longer
 * sign.
 */
export async function rotateEndpointSecret(
  db: Db,
  { project, id }: { project: string; id: string },
  secret: string,
): Promise<void> {
  const statement = sql`
    update webhook_endpoints set secret = ${secret}, old_secret = secret, old_secret_until = now() + interval '1 day'
    where id = ${id} and project = ${project}`;
  await write(db, statement);
}

/** Deletes an endpoint of this project and stops its pending deliveries. */
export async function deleteWebhookEndpoint(db: Db, project: string, id: string): Promise<void> {
  const statement = sql`
    with deleted as (delete from webhook_endpoints where id = ${id} and project = ${project} returning id),
    stopped as (${stopDeliveries(sql`endpoint_id = (select id from deleted)`)})
    select id from deleted`;
  await write(db, statement);
}

const columns = sql`id, url, description, events, with_turn as "withTurn", status, disabled_reason as "disabledReason",
  failing_since::text as "failingSince", created_at::text as "createdAt"`;
