import { type RawBuilder, sql } from 'kysely';
import { timing } from '../turn/timing.ts';
import { WebhookEvent } from '../turn/turn-request.ts';
import { inMs } from './due.ts';

const subscribable = sql.join(WebhookEvent.options.map((type) => sql.lit(type)));

/**
 * Makes the deliveries of the events that a statement appends owed: to each turn's own webhook, and to each endpoint of
 * its project that hears of them (R16). The CTE `event` returns those events, `turn` names the CTE that holds the written
 * turns with the `eventIds` they were given, `webhook` is how each subscribed. Where nobody did, it costs a look into an
 * index. Answers `id` and `turn_id` of each.
 */
export function oweDeliveries(turn: RawBuilder<unknown>, webhook: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into deliveries (id, project, turn_id, event_number, endpoint_id, url, with_turn, next_attempt_at, due_at)
    select ${countedIds(ownId, sql`partition by event.turn_id order by event.number, endpoint_id nulls first`)},
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

/** As good as one of its own: no event has the same digits. */
const ownId = sql<string>`'dlv' || substr("eventIds" ->> 0, 4)`;

/** Ids for as many rows as a window has: one of ours, of which the last four digits count them in its order. */
export function countedIds(id: RawBuilder<string>, window: RawBuilder<unknown>): RawBuilder<string> {
  return sql`left(${id}, -4) || lpad(to_hex(row_number() over (${window})), 4, '0')`;
}
