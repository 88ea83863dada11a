import { sql } from 'kysely';
import { newId } from '../id.ts';
import type { DeliveryRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { Trx } from './database.ts';
import { inMs } from './due.ts';
import { countedIds } from './owe-deliveries.ts';
import { firstRings } from './owed-of.ts';
import { stopDeliveries } from './stop-deliveries.ts';

/** Why an endpoint is given up: it asked for it (`isFinal`), or has failed for long. What failed at another URL does not count. */
type Disabling = { id: string; url: string; reason: string; isFinal: boolean };

/**
 * Gives an endpoint up: what was still to be sent to it is stopped, and other endpoints of its project that want to know
 * are told. Answers what is owed to them; null where it was disabled before, or deleted.
 */
export async function disableWebhookEndpoint(
  trx: Trx,
  { id, url, reason, isFinal }: Disabling,
): Promise<DeliveryRing[] | null> {
  const { rows } = await sql<{ deliveryIds: string[] | null }>`
    with disabled as (
      update webhook_endpoints set status = 'disabled', disabled_reason = ${reason}
      where id = ${id} and status = 'enabled' and url = ${url}
        and (${isFinal} or failing_since < now() - interval '1 hour')
      returning *
    ),
    stopped as (${stopDeliveries(sql`endpoint_id = ${id} and exists (select from disabled)`)}),
    told as (
      insert into deliveries (id, project, endpoint_id, event, url, with_turn, next_attempt_at, due_at)
      select ${countedIds(sql`${newId('dlv')}::text`, sql`order by other.id`)}, other.project, other.id, ${toldOf(newId('evt'))}, other.url, false, now(),
        ${inMs(timing.graceMs)}
      from disabled join webhook_endpoints as other on other.project = disabled.project and other.id <> disabled.id
      where other.status = 'enabled' and other.events ? 'webhook_endpoint.disabled'
      returning id
    )
    select (select json_agg(id) from told) as "deliveryIds" from disabled`.execute(trx);
  return rows[0] ? firstRings(rows[0].deliveryIds) : null;
}

/** The same event for all who are told. */
function toldOf(eventId: string) {
  return sql`json_build_object('id', ${eventId}::text, 'type', 'webhook_endpoint.disabled', 'createdAt', now(), 'data',
    json_build_object('id', disabled.id, 'url', disabled.url, 'disabled_reason', disabled.disabled_reason))`;
}
