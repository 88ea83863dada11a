import { sql } from 'kysely';
import type { EventType } from '../turn/event.ts';
import type { Db } from './database.ts';

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

/** A delivery as long as it is pending; undefined once it has been delivered, has failed or is gone. */
export async function loadDelivery(db: Db, id: string): Promise<OwedDelivery | undefined> {
  const { rows } = await sql<OwedDelivery>`
    select deliveries.id, project, deliveries.turn_id as "turnId", url, with_turn as "withTurn", attempts,
      json_build_object('id', events.id, 'number', number, 'type', type, 'data', data, 'createdAt', events.created_at) as event
    from deliveries join events on events.turn_id = deliveries.turn_id and number = event_number
    where deliveries.id = ${id} and status = 'pending'`.execute(db);
  return rows[0];
}
