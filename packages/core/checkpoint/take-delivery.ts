import { sql } from 'kysely';
import type { StoredEvent } from '../turn/event.ts';
import type { DeliveryRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { EndpointEvent } from '../turn/webhook-endpoint.ts';
import type { Db } from './database.ts';
import { hasCome, inMs } from './due.ts';
import { hasEnabledEndpoint } from './has-enabled-endpoint.ts';
import { liveSecrets } from './live-secrets.ts';
import { stopDeliveries } from './stop-deliveries.ts';

/** Longer than any attempt takes (webhook timeout: 15 s), so that a slow receiver is not called twice at once. */
const HOLD_MS = 20_000;

/** A delivery that is still owed, with the event it tells: one of its turn, or one of its own, which holds all its data. */
export type OwedDelivery = {
  id: string;
  project: string;
  url: string;
  withTurn: boolean;
  attempts: number;
  heldUntil: string;
  /** The standing endpoint it goes to, with the secrets that sign for it; null for a turn's own webhook. */
  endpoint: { id: string; secrets: string[]; failingForMs: number | null } | null;
} & (
  | { turnId: string; event: Omit<StoredEvent, 'callIndex'> }
  | { turnId: null; event: { id: string; type: EndpointEvent; data: { id: string }; createdAt: string } }
);

/**
 * Takes a pending delivery for one attempt; undefined when it is over, gone, not due yet, somebody else is at it, or it
 * has to wait for an earlier one of its turn (R16). A delivery to an endpoint that hears of nothing more is stopped instead.
 */
export async function takeDelivery(db: Db, id: string): Promise<OwedDelivery | undefined> {
  const { rows } = await sql<OwedDelivery>`
    with stopped as (${stopDeliveries(sql`id = ${id} and endpoint_id is not null and not ${hasEnabledEndpoint}`)}),
    taken as (
      update deliveries set held_until = ${inMs(HOLD_MS)}, due_at = ${inMs(HOLD_MS)},
        url = coalesce((select url from webhook_endpoints where id = endpoint_id), url)
      where id = ${id} and status = 'pending' and (held_until is null or held_until < now())
        and ${hasCome('next_attempt_at')} and (endpoint_id is null or ${hasEnabledEndpoint})
        and not exists (${earlier})
      returning *
    )
    select taken.id, taken.project, taken.turn_id as "turnId", taken.url, taken.with_turn as "withTurn", attempts,
      taken.held_until::text as "heldUntil",
      coalesce(event, json_build_object('id', events.id, 'number', number, 'type', type, 'round', round, 'data', data,
        'createdAt', events.created_at)) as event,
      case when endpoint.id is not null then json_build_object('id', endpoint.id, 'secrets', ${liveSecrets},
        'failingForMs', extract(epoch from now() - failing_since) * 1000) end as endpoint
    from taken left join events on events.turn_id = taken.turn_id and number = event_number
      left join webhook_endpoints as endpoint on endpoint.id = endpoint_id`.execute(db);
  return rows[0];
}

/** Gives a delivery back as it was taken, to be tried after `afterMs`; none where the hold has lapsed meanwhile (R16). */
export async function putBackDelivery(
  db: Db,
  { id, heldUntil }: Pick<OwedDelivery, 'id' | 'heldUntil'>,
  afterMs: number,
): Promise<DeliveryRing[]> {
  const { rows } = await sql<DeliveryRing>`
    update deliveries set held_until = null, ring = ring + 1, next_attempt_at = ${inMs(afterMs)},
      due_at = ${inMs(afterMs + timing.graceMs)}
    where id = ${id} and status = 'pending' and held_until = ${heldUntil}::timestamptz
    returning 'delivery' as kind, id as "deliveryId", ring as number, ${afterMs}::int as "delayMs"`.execute(db);
  return rows;
}

/**
 * What was to be told before, of the same turn to the same receiver, and is being told right now or was not tried yet:
 * so what happened in order arrives in order. One that failed, or whose worker was lost, comes again in its own time.
 */
const earlier = sql`select from deliveries as earlier
  where earlier.turn_id = deliveries.turn_id and earlier.due_at is not null and earlier.event_number < deliveries.event_number
    and coalesce(earlier.endpoint_id, earlier.url) = coalesce(deliveries.endpoint_id, deliveries.url)
    and (earlier.held_until > now() or (earlier.attempts = 0 and earlier.held_until is null))`;
