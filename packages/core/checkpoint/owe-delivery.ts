import { type RawBuilder, sql } from 'kysely';
import { newId } from '../id.ts';
import type { EventType } from '../turn/event.ts';
import { timing } from '../turn/timing.ts';
import { inMs } from './due.ts';

/**
 * Makes the delivery of a turn's last event owed, if its webhook asked for that event. `source` is the CTE that holds
 * the written turn, `condition` says whether the event happened.
 */
export function oweDelivery(source: RawBuilder<unknown>, condition: RawBuilder<unknown>, event: EventType) {
  return sql`
    insert into deliveries (id, project, turn_id, event_number, url, with_turn, next_attempt_at, due_at)
    select ${newId('dlv')}, project, id, last_event, config #>> '{webhook,url}',
      (config #> '{webhook,include}')::jsonb ? 'turn', now(), ${inMs(timing.graceMs)}
    from ${source}
    where ${condition} and (config #> '{webhook,events}')::jsonb ? ${event}
    returning id`;
}
