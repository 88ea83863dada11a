import { sql } from 'kysely';
import { newId } from '../id.ts';
import type { TerminalEvent } from '../turn/event.ts';
import { timing } from '../turn/timing.ts';
import { inMs } from './due.ts';

/** Makes the delivery of an ended turn's last event owed, if its webhook asked for that event. */
export function oweDelivery(event: TerminalEvent) {
  return sql`
    insert into deliveries (id, project, turn_id, event_number, url, with_turn, due_at)
    select ${newId('dlv')}, project, id, last_event, config #>> '{webhook,url}',
      (config #> '{webhook,include}')::jsonb ? 'turn', ${inMs(timing.graceMs)}
    from ended
    where (config #> '{webhook,events}')::jsonb ? ${event}
    returning id`;
}
