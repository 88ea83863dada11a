import { type RawBuilder, sql } from 'kysely';
import { WebhookEvent } from '../../turn/request/webhook.ts';

const subscribable = sql.join(WebhookEvent.options.map((type) => sql.lit(type)));

/**
 * Inserts the deliveries of the events that a statement appends: to the turn's own webhook, and to each subscribed
 * endpoint of its project (R16). The CTE `event` returns the events, `turn` is the CTE of the written turns with their
 * `eventIds`, `webhook` the subscription of each; a turn that is not `stored` has no deliveries (contract-responses R14).
 * Without subscriptions it costs a look into an index. Returns `turn_id` of each delivery.
 */
export function createDeliveries(
  turn: RawBuilder<unknown>,
  webhook: RawBuilder<unknown>,
  { sent, type, own, wants }: SentTypes = turnTypes,
): RawBuilder<unknown> {
  return sql`
    insert into deliveries (id, project, turn_id, event_number, event, endpoint_id, url, with_turn, next_attempt_at, due_at)
    select ${numberedIds(ownId, sql`partition by event.turn_id order by event.number, endpoint_id nulls first, wanted.type`)},
      turn.project, event.turn_id, event.number, ${own},
      endpoint_id, wanted.url, wanted.with_turn, now(), now()
    from event join ${turn} as turn on turn.id = event.turn_id,
      lateral (
        select null as endpoint_id, ${webhook} ->> 'url' as url, (${webhook} -> 'include')::jsonb ? 'turn' as with_turn, ${type} as type
        ${sent ? sql`from ${sent}` : sql``} where ${wants(sql`(${webhook} -> 'events')::jsonb`)}
        union all
        select id, url, with_turn, ${type} from webhook_endpoints as endpoint ${sent ? sql`cross join ${sent}` : sql``}
        where endpoint.project = turn.project and status = 'enabled' and ${wants(sql`events`)}
      ) as wanted
    where event.type in (${subscribable}) and turn.stored
    returning turn_id`;
}

/**
 * The types that an event is sent as: the relation `sent` where there are several, what a delivery keeps of one that is not
 * the event's own, and whether a receiver wants it.
 */
type SentTypes = {
  sent?: RawBuilder<unknown>;
  type: RawBuilder<unknown>;
  own: RawBuilder<unknown>;
  wants: (events: RawBuilder<unknown>) => RawBuilder<unknown>;
};

const turnTypes: SentTypes = {
  type: sql`event.type`,
  own: sql`null::json`,
  wants: (events) => sql`${events} ? event.type`,
};

const isInBackground = sql`event.type like 'turn.%' and (turn.config -> 'response' ->> 'background')::boolean`;

/**
 * The end of a turn is sent as that of its response too, where that was created in the background (contract-responses R70).
 * The CTE of the turns has their `config`, which is read only where a receiver wants it, and whether the model `refused`:
 * that is an answer.
 */
export const responseTypes: SentTypes = {
  sent: sql`(values (event.type),
    ('response.' || case when turn.refused then 'completed' else split_part(event.type, '.', 2) end)) as sent (type)`,
  type: sql`sent.type`,
  // A receiver of both kinds tells them apart by their ids; no other event has the same digits.
  own: sql`case when wanted.type <> event.type
    then json_build_object('id', left(event.id, -4) || 'resp', 'type', wanted.type) end`,
  wants: (events) => sql`case when ${events} ? sent.type then sent.type = event.type or (${isInBackground}) end`,
};

/** Made of the turn's first event id: no other has the same digits. */
const ownId = sql<string>`'dlv' || substr("eventIds" ->> 0, 4)`;

/** Ids for the rows of a window: one id with its last four digits counting the rows in the order of the window. */
export function numberedIds(id: RawBuilder<string>, window: RawBuilder<unknown>): RawBuilder<string> {
  return sql`left(${id}, -4) || lpad(to_hex(row_number() over (${window})), 4, '0')`;
}

/** What a delivery sends its event as: its own word where it has one, else that of the turn's event beside it. */
export const eventId = sql<string>`coalesce(event ->> 'id', events.id)`;
export const eventType = sql<string>`coalesce(event ->> 'type', events.type)`;

const STOPPED = 'The webhook endpoint is disabled or deleted. Enable it, then redeliver.';

/**
 * Fails the pending deliveries that match `which`, of endpoints that are disabled or deleted. An attempt in flight
 * records its own outcome; the next attempt of that delivery is stopped by `take-deliveries.ts`.
 */
export function stopDeliveries(which: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`
    update deliveries set status = 'failed', last_error = ${STOPPED}, next_attempt_at = null, due_at = null, lease_until = null
    where id = any(array(
      select id from deliveries where ${which} and due_at is not null and (lease_until is null or lease_until < now())
      for no key update skip locked))`;
}

/** Whether the endpoint of a delivery (`endpoint_id` of the outer query) exists and is enabled. */
export const hasEnabledEndpoint = sql<boolean>`exists (
  select from webhook_endpoints as endpoint where endpoint.id = endpoint_id and endpoint.status = 'enabled')`;

/** The condition that an endpoint of a project may want its events (R16). */
export function hasEndpoints(project: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (
      select from webhook_endpoints as endpoint where endpoint.project = ${project} and endpoint.status = 'enabled')`;
}

/** The condition that no endpoint of the project of a row of `work` may want its events. */
export const nothingSubscribes: RawBuilder<boolean> = sql`not ${hasEndpoints(sql`work.project`)}`;

/** The secrets that sign for an endpoint now, as JSON, the newest first: for a day after a rotation there are two. */
export const signingSecrets = sql<string[]>`case when old_secret_until > now() then json_build_array(secret, old_secret)
  else json_build_array(secret) end`;
