import { type RawBuilder, sql } from 'kysely';
import { DELIVERY_BOUNDS } from '../../bounds/delivery-bounds.ts';
import { write } from '../../postgres/read-write.ts';
import type { TurnTrace } from '../../trace-context.ts';
import type { EventType, StoredEvent } from '../../turn/event.ts';
import type { ResponseWebhookEvent } from '../../turn/request/webhook.ts';
import type { EndpointEvent } from '../../turn/request/webhook-endpoint.ts';
import { eventId, eventType, hasEnabledEndpoint, signingSecrets, stopDeliveries } from '../sql/deliveries.ts';
import { inMs } from '../sql/due.ts';
import type { Db } from '../tables.ts';

/**
 * The lease of a delivery, longer than any attempt (webhook timeout: 15 s), so that a slow receiver is not called
 * twice at once.
 */
const DELIVERY_LEASE_MS = 20_000;

/**
 * A pending delivery with its event. An event of a turn may be sent as an event of its response. An event without a
 * turn has all its data.
 */
export type DueDelivery = {
  id: string;
  project: string;
  receiver: string;
  url: string;
  withTurn: boolean;
  attempts: number;
  /** Whether it was taken as the first attempt at its receiver, which needs no slot. */
  isFirst: boolean;
  /** The endpoint that receives it, with its signing secrets, or null for a turn's own webhook. */
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
 * The room of a worker: `free` deliveries in slots. `room` is the number of further deliveries of a project or a
 * receiver. `projects` and `receivers` have running deliveries of the worker, with the number of their attempts
 * (`busy`). `unknown` is the room of all others. A project that is not in `projects` has the weight 1. No delivery is
 * sent to a turn's URL that is `hanging`.
 *
 * If a project has a `firstRoom`, its receivers differ:
 * - a receiver in `answering` has the whole `room`
 * - a receiver in `doubtful`, or with a first attempt under way, has the `doubtfulRoom`
 * - any other receiver has had no attempt yet: its first needs no slot, up to `firstRoom` of the project and
 *   `firsts` in all
 */
export type DeliveryRoom = {
  free: number;
  firsts: number;
  projects: {
    project: string;
    weight: number;
    busy: number;
    room: number;
    doubtfulRoom: number;
    firstRoom: number | null;
  }[];
  receivers: { project: string; receiver: string; busy: number; room: number }[];
  answering: { project: string; receiver: string }[];
  doubtful: { project: string; receiver: string }[];
  hanging: { project: string; receiver: string; url: string }[];
  unknown: { project: number; receiver: number };
};

/**
 * Takes due deliveries, each for one attempt:
 * - of projects, by weight
 * - of a project, its receivers with the fewest attempts, at random if these are equal
 * - of a receiver, the delivery that has been due for longest
 *
 * Leaves out deliveries of other workers, and deliveries that wait for an earlier delivery of their turn (R16). Stops
 * deliveries to a disabled or deleted endpoint, which take no room. The cost is a look for each receiver, however
 * long a backlog is.
 */
export async function takeDeliveries(db: Db, room: DeliveryRoom): Promise<DueDelivery[]> {
  const statement = sql<DueDelivery>`
    with recursive receiver as (
      (select project, receiver from deliveries where due_at is not null order by project, receiver limit 1)
      union all
      select next.project, next.receiver from receiver cross join lateral (
        select project, receiver from deliveries
        where due_at is not null and (deliveries.project, deliveries.receiver) > (receiver.project, receiver.receiver)
        order by project, receiver limit 1) as next
    ),
    project as materialized (
      select * from json_to_recordset(${room.projects}::json)
        as known (project text, weight double precision, busy int, room int, "doubtfulRoom" int, "firstRoom" int)
    ),
    open as materialized (
      select receiver.project, receiver.receiver,
        case when (receiver.project, receiver.receiver) in (${named(room.answering)}) then 'answering'
          when (receiver.project, receiver.receiver) in (${named(room.doubtful)}) then 'doubtful'
          when receiver.project not in (select project from project where "firstRoom" is not null) then 'any'
          when busy > 0 then 'doubtful' else 'first' end as kind,
        coalesce(busy, 0) as busy, coalesce(room, ${room.unknown.receiver}::int) as room
      from receiver left join json_to_recordset(${room.receivers}::json) as known (project text, receiver text, busy int, room int)
        on known.project = receiver.project and known.receiver = receiver.receiver
    ),
    hanging as materialized (
      select * from json_to_recordset(${room.hanging}::json) as hanging (project text, receiver text, url text)
    ),
    candidate as materialized (
      select next.id, open.project, kind, next.is_stopped,
        busy + row_number() over (partition by open.project, open.receiver order by next.due_at, next.id) as nth
      from open cross join lateral (
        select id, due_at, endpoint_id is not null and not ${hasEnabledEndpoint} as is_stopped from (
          select * from deliveries where deliveries.project = open.project and deliveries.receiver = open.receiver and due_at <= now()
          order by due_at, id limit case when (open.project, open.receiver) in (select project, receiver from hanging)
            then ${DELIVERY_BOUNDS.lookedThrough}::int end) as deliveries
        where (endpoint_id is not null or (project, url) not in (select project, url from hanging)) and not exists (${earlier})
        order by due_at, id limit least(room, greatest(1, ${room.free}::int))) as next
      where room > 0
    ),
    known as (
      select candidate.*, coalesce(room, ${room.unknown.project}::int) as room, coalesce(busy, 0) as busy, coalesce(weight, 1) as weight,
        row_number() over (partition by project, kind order by nth, random()) as nth_of_kind, "doubtfulRoom", "firstRoom"
      from candidate left join project using (project) where not is_stopped
    ),
    ranked as (
      select id, kind = 'first' as is_first, room, busy, weight,
        row_number() over (partition by project, kind = 'first' order by nth, random()) as nth
      from known where case kind when 'doubtful' then nth_of_kind <= "doubtfulRoom"
        when 'first' then nth = 1 and nth_of_kind <= "firstRoom" else true end
    ),
    chosen as materialized (
      (select id, is_first from ranked where not is_first and nth <= room order by (busy + nth) / weight, random() limit ${room.free}::int)
      union all
      (select id, is_first from ranked where is_first order by nth / weight, random() limit ${room.firsts}::int)
    ),
    free as materialized (
      select id from deliveries where id in (select id from chosen) and due_at <= now() for no key update skip locked
    ),
    stopped as (${stopDeliveries(sql`id in (select id from candidate where is_stopped)`)}),
    taken as (
      update deliveries set lease_until = ${inMs(DELIVERY_LEASE_MS)}, due_at = ${inMs(DELIVERY_LEASE_MS)},
        url = coalesce((select url from webhook_endpoints where id = endpoint_id), url)
      where id in (select id from free) and (endpoint_id is null or ${hasEnabledEndpoint})
      returning *
    )
    select taken.id, taken.project, taken.receiver, taken.turn_id as "turnId", taken.url, taken.with_turn as "withTurn", attempts,
      (select is_first from chosen where chosen.id = taken.id) as "isFirst",
      (select trace from turns where turns.id = taken.turn_id) as trace,
      case when taken.turn_id is null then event else json_build_object('id', ${eventId}, 'number', number, 'type', ${eventType},
        'round', round, 'data', data, 'createdAt', events.created_at) end as event,
      case when endpoint.id is not null then json_build_object('id', endpoint.id, 'secrets', ${signingSecrets},
        'failingForMs', extract(epoch from now() - failing_since) * 1000) end as endpoint
    from taken left join events on events.turn_id = taken.turn_id and number = event_number
      left join webhook_endpoints as endpoint on endpoint.id = endpoint_id`;
  return await write(db, statement);
}

function named(receivers: { project: string; receiver: string }[]): RawBuilder<unknown> {
  return sql`select project, receiver from json_to_recordset(${receivers}::json) as named (project text, receiver text)`;
}

/**
 * Earlier deliveries of the same turn to the same receiver that are in flight or untried. They are sent first, so
 * that events arrive in order. A failed attempt, or a lost worker, does not block later deliveries.
 */
const earlier = sql`select from deliveries as earlier
  where earlier.turn_id = deliveries.turn_id and earlier.due_at is not null
    and (earlier.event_number, earlier.id) < (deliveries.event_number, deliveries.id)
    and coalesce(earlier.endpoint_id, earlier.url) = coalesce(deliveries.endpoint_id, deliveries.url)
    and (earlier.lease_until > now() or (earlier.attempts = 0 and earlier.lease_until is null))`;
