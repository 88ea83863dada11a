import { sql } from 'kysely';
import type { WebhookEndpoint } from '../turn/webhook-endpoint.ts';
import type { Db } from './database.ts';
import { stopDeliveries } from './stop-deliveries.ts';

/** What of an endpoint is to be another from now on; what is undefined stays. */
export type EndpointChange = {
  [Field in 'url' | 'description' | 'events' | 'withTurn' | 'status']?: WebhookEndpoint[Field] | undefined;
};

/**
 * Changes a project's own endpoint. Another URL is that of pending deliveries too; disabled, it hears of nothing more,
 * pending deliveries included; enabled, it starts afresh.
 */
export async function changeWebhookEndpoint(
  db: Db,
  { project, id }: { project: string; id: string },
  { url, description, events, withTurn, status }: EndpointChange,
): Promise<void> {
  const isFresh = url !== undefined || status === 'enabled';
  await sql`
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
    select id from changed`.execute(db);
}

const BY_CALLER = 'It was disabled over the API.';
