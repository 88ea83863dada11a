import { sql } from 'kysely';
import type { EventType } from '../turn/event.ts';
import type { Db } from './database.ts';
import { inMs } from './due.ts';

/** Longer than any attempt takes (webhook timeout: 15 s), so that a slow receiver is not called twice at once. */
const HOLD_MS = 20_000;

/** A delivery that is still owed, with the event it tells. */
export type OwedDelivery = {
  id: string;
  project: string;
  turnId: string;
  url: string;
  withTurn: boolean;
  attempts: number;
  event: { id: string; number: number; type: EventType; data: Record<string, unknown> | null; createdAt: string };
};

/** Takes a pending delivery for one attempt; undefined when it is over, gone, or somebody else is at it. */
export async function takeDelivery(db: Db, id: string): Promise<OwedDelivery | undefined> {
  const { rows } = await sql<OwedDelivery>`
    with taken as (
      update deliveries set held_until = ${inMs(HOLD_MS)}, due_at = ${inMs(HOLD_MS)}
      where id = ${id} and status = 'pending' and (held_until is null or held_until < now())
      returning *
    )
    select taken.id, project, taken.turn_id as "turnId", url, with_turn as "withTurn", attempts,
      json_build_object('id', events.id, 'number', number, 'type', type, 'data', data, 'createdAt', events.created_at) as event
    from taken join events on events.turn_id = taken.turn_id and number = event_number`.execute(db);
  return rows[0];
}
