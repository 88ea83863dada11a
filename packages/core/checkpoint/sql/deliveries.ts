import { type RawBuilder, sql } from 'kysely';
import { WebhookEvent } from '../../turn/request/turn.ts';
import { timing } from '../../turn/timing.ts';
import { inMs } from './due.ts';

const subscribable = sql.join(WebhookEvent.options.map((type) => sql.lit(type)));

/**
 * Inserts the deliveries of the events that a statement appends: to the turn's own webhook, and to each subscribed
 * endpoint of its project (R16). The CTE `event` returns the events, `turn` is the CTE of the written turns with their
 * `eventIds`, `webhook` the subscription of each. Without subscriptions it costs a look into an index. Returns `id` and
 * `turn_id` of each delivery.
 */
export function createDeliveries(turn: RawBuilder<unknown>, webhook: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into deliveries (id, project, turn_id, event_number, endpoint_id, url, with_turn, next_attempt_at, due_at)
    select ${numberedIds(ownId, sql`partition by event.turn_id order by event.number, endpoint_id nulls first`)},
      turn.project, event.turn_id, event.number, endpoint_id, wanted.url, wanted.with_turn, now(), ${inMs(timing.graceMs)}
    from event join ${turn} as turn on turn.id = event.turn_id,
      lateral (
        select null as endpoint_id, ${webhook} ->> 'url' as url, (${webhook} -> 'include')::jsonb ? 'turn' as with_turn
        where (${webhook} -> 'events')::jsonb ? event.type
        union all
        select id, url, with_turn from webhook_endpoints as endpoint
        where endpoint.project = turn.project and status = 'enabled' and events ? event.type
      ) as wanted
    where event.type in (${subscribable})
    returning id, turn_id`;
}

/** Made of the turn's first event id: no other has the same digits. */
const ownId = sql<string>`'dlv' || substr("eventIds" ->> 0, 4)`;

/** Ids for the rows of a window: one id with its last four digits counting the rows in the order of the window. */
export function numberedIds(id: RawBuilder<string>, window: RawBuilder<unknown>): RawBuilder<string> {
  return sql`left(${id}, -4) || lpad(to_hex(row_number() over (${window})), 4, '0')`;
}

const STOPPED = 'The webhook endpoint is disabled or deleted. Enable it, then redeliver.';

/**
 * Fails the pending deliveries that match `which`, of endpoints that are disabled or deleted. An attempt in flight
 * records its own outcome; the next attempt of that delivery is stopped by `take-delivery.ts`.
 */
export function stopDeliveries(which: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`
    update deliveries set status = 'failed', last_error = ${STOPPED}, next_attempt_at = null, due_at = null, lease_until = null
    where id in (
      select id from deliveries where ${which} and due_at is not null and (lease_until is null or lease_until < now())
      for no key update skip locked)`;
}

/** Whether the endpoint of a delivery (`endpoint_id` of the outer query) exists and is enabled. */
export const hasEnabledEndpoint = sql<boolean>`exists (
  select from webhook_endpoints as endpoint where endpoint.id = endpoint_id and endpoint.status = 'enabled')`;

/** The secrets that sign for an endpoint now, as JSON, the newest first: for a day after a rotation there are two. */
export const signingSecrets = sql<string[]>`case when old_secret_until > now() then json_build_array(secret, old_secret)
  else json_build_array(secret) end`;
