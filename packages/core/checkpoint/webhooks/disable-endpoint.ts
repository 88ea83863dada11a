import { sql } from 'kysely';
import { newId } from '../../id.ts';
import { numberedIds, stopDeliveries } from '../sql/deliveries.ts';
import type { Trx } from '../tables.ts';

/**
 * The reason to disable an endpoint: it requested this (`isFinal`), or it has failed for long. Failures at another
 * URL do not count.
 */
type Disabling = { id: string; url: string; reason: string; isFinal: boolean };

/**
 * Disables an endpoint and stops its pending deliveries. Other endpoints of its project that subscribe to this event
 * get a delivery, due at once. Returns false if the endpoint was disabled before, or deleted.
 */
export async function disableWebhookEndpoint(trx: Trx, { id, url, reason, isFinal }: Disabling): Promise<boolean> {
  const { rows } = await sql`
    with disabled as (
      update webhook_endpoints set status = 'disabled', disabled_reason = ${reason}
      where id = ${id} and status = 'enabled' and url = ${url}
        and (${isFinal} or failing_since < now() - interval '1 hour')
      returning *
    ),
    stopped as (${stopDeliveries(sql`endpoint_id = ${id} and exists (select from disabled)`)}),
    delivery as (
      insert into deliveries (id, project, endpoint_id, event, url, with_turn, next_attempt_at, due_at)
      select ${numberedIds(sql`${newId('dlv')}::text`, sql`order by other.id`)}, other.project, other.id,
        ${disabledEvent(newId('evt'))}, other.url, false, now(), now()
      from disabled join webhook_endpoints as other on other.project = disabled.project and other.id <> disabled.id
      where other.status = 'enabled' and other.events ? 'webhook_endpoint.disabled'
    )
    select from disabled`.execute(trx);
  return rows.length > 0;
}

/** Returns the event that all receivers get. */
function disabledEvent(eventId: string) {
  return sql`json_build_object('id', ${eventId}::text, 'type', 'webhook_endpoint.disabled', 'createdAt', now(), 'data',
    json_build_object('id', disabled.id, 'url', disabled.url, 'disabled_reason', disabled.disabled_reason))`;
}
