import { sql } from 'kysely';
import type { EventType } from '../turn/event.ts';
import type { Db } from './database.ts';

export type Delivery = {
  id: string;
  eventId: string;
  type: EventType;
  url: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  lastStatusCode: number | null;
  lastError: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
  deliveredAt: string | null;
};

/** What was, or is to be, sent to whom about a turn, in order; `id` narrows it to one delivery. */
export async function listDeliveries(
  db: Db,
  project: string,
  where: { turnId: string } | { id: string },
): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    select deliveries.id, events.id as "eventId", type, url, status, attempts, last_status_code as "lastStatusCode",
      last_error as "lastError", next_attempt_at::text as "nextAttemptAt", deliveries.created_at::text as "createdAt",
      delivered_at::text as "deliveredAt"
    from deliveries join events on events.turn_id = deliveries.turn_id and number = event_number
    where project = ${project}
      and ${'id' in where ? sql`deliveries.id = ${where.id}` : sql`deliveries.turn_id = ${where.turnId}`}
    order by deliveries.id`.execute(db);
  return rows;
}
