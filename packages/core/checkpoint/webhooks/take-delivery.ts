import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import type { TurnTrace } from '../../trace-context.ts';
import type { EventType, StoredEvent } from '../../turn/event.ts';
import type { ResponseWebhookEvent } from '../../turn/request/webhook.ts';
import type { EndpointEvent } from '../../turn/request/webhook-endpoint.ts';
import { timing } from '../../turn/timing.ts';
import type { DeliveryWakeup } from '../../turn/wakeup.ts';
import { eventId, eventType, hasEnabledEndpoint, signingSecrets, stopDeliveries } from '../sql/deliveries.ts';
import { hasCome, inMs } from '../sql/due.ts';
import type { Db } from '../tables.ts';

/** Longer than any attempt takes (webhook timeout: 15 s), so that a slow receiver is not called twice at once. */
const DELIVERY_LEASE_MS = 20_000;

/**
 * A pending delivery with its event: one of its turn, which may be sent as one of its response, or one that no turn has,
 * which holds all its data.
 */
export type DueDelivery = {
  id: string;
  project: string;
  url: string;
  withTurn: boolean;
  attempts: number;
  leaseUntil: string;
  /** The endpoint it goes to, with the secrets that sign for it; null for a turn's own webhook. */
  endpoint: { id: string; secrets: string[]; failingForMs: number | null } | null;
} & (
  | {
      turnId: string;
      trace?: TurnTrace | null;
      event: Omit<StoredEvent, 'callIndex' | 'type'> & { type: EventType | ResponseWebhookEvent };
    }
  | { turnId: null; event: { id: string; type: EndpointEvent; data: { id: string }; createdAt: string } }
);

/**
 * Takes a pending delivery for one attempt. Undefined when it is over, deleted, not due yet, leased by another worker,
 * or behind an earlier one of its turn (R16). A delivery to a disabled or deleted endpoint is stopped instead.
 */
export async function takeDelivery(db: Db, id: string): Promise<DueDelivery | undefined> {
  const rows = await write(
    db,
    sql<DueDelivery>`
    with stopped as (${stopDeliveries(sql`id = ${id} and endpoint_id is not null and not ${hasEnabledEndpoint}`)}),
    taken as (
      update deliveries set lease_until = ${inMs(DELIVERY_LEASE_MS)}, due_at = ${inMs(DELIVERY_LEASE_MS)},
        url = coalesce((select url from webhook_endpoints where id = endpoint_id), url)
      where id = ${id} and status = 'pending' and (lease_until is null or lease_until < now())
        and ${hasCome('next_attempt_at')} and (endpoint_id is null or ${hasEnabledEndpoint})
        and not exists (${earlier})
      returning *
    )
    select taken.id, taken.project, taken.turn_id as "turnId", taken.url, taken.with_turn as "withTurn", attempts,
      taken.lease_until::text as "leaseUntil", (select trace from turns where turns.id = taken.turn_id) as trace,
      case when taken.turn_id is null then event else json_build_object('id', ${eventId}, 'number', number, 'type', ${eventType},
        'round', round, 'data', data, 'createdAt', events.created_at) end as event,
      case when endpoint.id is not null then json_build_object('id', endpoint.id, 'secrets', ${signingSecrets},
        'failingForMs', extract(epoch from now() - failing_since) * 1000) end as endpoint
    from taken left join events on events.turn_id = taken.turn_id and number = event_number
      left join webhook_endpoints as endpoint on endpoint.id = endpoint_id`,
  );
  return rows[0];
}

/**
 * Gives a delivery back as it was taken, to be tried after `afterMs`; none where the lease has lapsed meanwhile (R16).
 */
export async function releaseDelivery(
  db: Db,
  { id, leaseUntil }: Pick<DueDelivery, 'id' | 'leaseUntil'>,
  afterMs: number,
): Promise<DeliveryWakeup[]> {
  const rows = await write(
    db,
    sql<DeliveryWakeup>`
    update deliveries set lease_until = null, generation = generation + 1, next_attempt_at = ${inMs(afterMs)},
      due_at = ${inMs(afterMs + timing.graceMs)}
    where id = ${id} and status = 'pending' and lease_until = ${leaseUntil}::timestamptz
    returning 'delivery' as kind, id as "deliveryId", generation, ${afterMs}::int as "delayMs"`,
  );
  return rows;
}

/**
 * Earlier deliveries of the same turn to the same receiver that are in flight or were not tried yet: so events arrive
 * in order. A later one does not wait for one that has failed an attempt, or has lost its worker.
 */
const earlier = sql`select from deliveries as earlier
  where earlier.turn_id = deliveries.turn_id and earlier.due_at is not null
    and (earlier.event_number, earlier.id) < (deliveries.event_number, deliveries.id)
    and coalesce(earlier.endpoint_id, earlier.url) = coalesce(deliveries.endpoint_id, deliveries.url)
    and (earlier.lease_until > now() or (earlier.attempts = 0 and earlier.lease_until is null))`;
