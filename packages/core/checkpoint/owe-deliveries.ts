import { type RawBuilder, sql } from 'kysely';
import { newId } from '../id.ts';
import { timing } from '../turn/timing.ts';
import { WebhookEvent } from '../turn/turn-request.ts';
import { inMs } from './due.ts';

const subscribable = sql.join(WebhookEvent.options.map((type) => sql.lit(type)));

/**
 * Makes the deliveries of the events that a statement appends owed: to the turn's own webhook, and to each endpoint of
 * its project that hears of them (R16). The CTE `event` returns those events, `turn` names the CTE that holds the written
 * turn, `webhook` is how it subscribed. Where nobody did, it costs a look into an index.
 */
export function oweDeliveries(turn: RawBuilder<unknown>, webhook: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into deliveries (id, project, turn_id, event_number, endpoint_id, url, with_turn, next_attempt_at, due_at)
    select ${newDeliveryIds(sql`number, endpoint_id nulls first`)}, turn.project, turn_id, number, endpoint_id, wanted.url,
      wanted.with_turn, now(), ${inMs(timing.graceMs)}
    from event join ${turn} as turn on turn.id = turn_id,
      lateral (select ${webhook} as webhook offset 0) as own,
      lateral (
        select null as endpoint_id, webhook ->> 'url' as url, (webhook -> 'include')::jsonb ? 'turn' as with_turn
        where (webhook -> 'events')::jsonb ? type
        union all
        select id, url, with_turn from webhook_endpoints as endpoint
        where endpoint.project = turn.project and status = 'enabled' and events ? type
      ) as wanted
    where type in (${subscribable})
    returning id`;
}

/** Ids for as many rows as there are: one of ours, of which the last four digits count them in this order. */
export function newDeliveryIds(order: RawBuilder<unknown>): RawBuilder<string> {
  return sql`left(${newId('dlv')}::text, -4) || lpad(to_hex(row_number() over (order by ${order})), 4, '0')`;
}
