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

/** Longer than any attempt takes (webhook timeout: 15 s), so that a slow receiver is not called twice at once. */
const DELIVERY_LEASE_MS = 20_000;

/**
 * A pending delivery with its event: one of its turn, which may be sent as one of its response, or one that no turn has,
 * which holds all its data.
 */
export type DueDelivery = {
  id: string;
  project: string;
  receiver: string;
  url: string;
  withTurn: boolean;
  attempts: number;
  /** Whether it was taken as the first attempt at its receiver, for which no slot is needed. */
  isFirst: boolean;
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
 * The room of a worker: `free` deliveries in slots, of each project and of each receiver so many more (`room`). `projects` and
 * `receivers` are those that the worker is on already, with the number of their attempts (`busy`); `unknown` is the room of all others.
 * A project that is not among `projects` has the weight 1. No delivery may go to a URL of a turn that is `hanging`.
 *
 * If a project has a `firstRoom`, its receivers are told apart:
 * - a receiver in `answering` has the whole `room`
 * - a receiver in `doubtful`, or with a first attempt under way, has the `doubtfulRoom`
 * - any other receiver has had no attempt yet: its first needs no slot, and there may be `firstRoom` of them, `firsts` in all
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
 * Takes deliveries that are due, each for one attempt: of projects by weight, of a project's receivers those with the fewest attempts,
 * by chance where they are equal, and of a receiver the longest due. Leaves out those that another worker has, and those of a turn that have to wait for an earlier one (R16).
 * Stops deliveries to a disabled or deleted endpoint; they take no room of others. A backlog costs a look for each receiver, whatever its length.
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
  return write(db, statement);
}

function named(receivers: { project: string; receiver: string }[]): RawBuilder<unknown> {
  return sql`select project, receiver from json_to_recordset(${receivers}::json) as named (project text, receiver text)`;
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
