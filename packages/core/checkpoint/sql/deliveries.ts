import { type RawBuilder, sql } from 'kysely';
import { WebhookEvent } from '../../turn/request/webhook.ts';

const subscribable = sql.join(WebhookEvent.options.map((type) => sql.lit(type)));

/**
 * Inserts the deliveries of the events that a statement appends: to the turn's own webhook, and to each subscribed
 * endpoint of its project (R16). The CTE `event` returns the events. `turn` is the CTE of the written turns with
 * their `eventIds`, and `webhook` the subscription of each. An unstored turn has no deliveries. Without subscriptions
 * the cost is a look into an index. Returns the `turn_id` of each delivery.
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
 * The types that an event is sent as: the relation `sent` for several types, the stored fields of a type other than
 * the event's own, and whether a receiver wants the type.
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
 * The types of a turn's end. It is also sent as the end of its response if that was created in the background (R16).
 * The CTE of the turns has their `config`, which is read only if a receiver wants it. It also has `refused`: a
 * refusal by the model is an answer.
 */
export const responseTypes: SentTypes = {
  sent: sql`(values (event.type),
    ('response.' || case when turn.refused then 'completed' else split_part(event.type, '.', 2) end)) as sent (type)`,
  type: sql`sent.type`,
  // A receiver of both kinds distinguishes them by their ids. No other event has the same digits.
  own: sql`case when wanted.type <> event.type
    then json_build_object('id', left(event.id, -4) || 'resp', 'type', wanted.type) end`,
  wants: (events) => sql`case when ${events} ? sent.type then sent.type = event.type or (${isInBackground}) end`,
};

/** The id of a delivery, made of the turn's first event id: no other id has the same digits. */
const ownId = sql<string>`'dlv' || substr("eventIds" ->> 0, 4)`;

/**
 * Returns ids for the rows of a window: one id, with its last four digits counting the rows in the order of the
 * window.
 */
export function numberedIds(id: RawBuilder<string>, window: RawBuilder<unknown>): RawBuilder<string> {
  return sql`left(${id}, -4) || lpad(to_hex(row_number() over (${window})), 4, '0')`;
}

/** The id and the type that a delivery sends: its own if it has them, else the id and type of the turn's event. */
export const eventId = sql<string>`coalesce(event ->> 'id', events.id)`;
export const eventType = sql<string>`coalesce(event ->> 'type', events.type)`;

const STOPPED = 'The webhook endpoint is disabled or deleted. Enable it, then redeliver.';

/**
 * Fails the pending deliveries that match `which`, of disabled or deleted endpoints. An attempt in flight records its
 * own outcome. `take-deliveries.ts` stops the next attempt of that delivery.
 */
export function stopDeliveries(which: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`
    update deliveries set status = 'failed', last_error = ${STOPPED}, next_attempt_at = null, due_at = null, lease_until = null
    where id = any(array(
      select id from deliveries where ${which} and due_at is not null and (lease_until is null or lease_until < now())
      for no key update skip locked))`;
}

/** The condition that the endpoint of a delivery (`endpoint_id` of the outer query) exists and is enabled. */
export const hasEnabledEndpoint = sql<boolean>`exists (
  select from webhook_endpoints as endpoint where endpoint.id = endpoint_id and endpoint.status = 'enabled')`;

/** Returns the condition that an endpoint of a project may want its events (R16). */
export function hasEndpoints(project: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (
      select from webhook_endpoints as endpoint where endpoint.project = ${project} and endpoint.status = 'enabled')`;
}

/** The condition that no endpoint of the project of a row of `work` may want its events. */
export const nothingSubscribes: RawBuilder<boolean> = sql`not ${hasEndpoints(sql`work.project`)}`;

/** The current secrets that sign for an endpoint, as JSON, newest first. For a day after a rotation there are two. */
export const signingSecrets = sql<string[]>`case when old_secret_until > now() then json_build_array(secret, old_secret)
  else json_build_array(secret) end`;
