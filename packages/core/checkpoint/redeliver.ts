import { sql } from 'kysely';
import type { DeliveryRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { Db } from './database.ts';
import { inMs } from './due.ts';

/** Makes a delivery owed once more, from its first attempt, with the same event id. Null when there is none. */
export async function redeliver(db: Db, project: string, id: string): Promise<DeliveryRing | null> {
  const { rows } = await sql<DeliveryRing>`
    update deliveries set status = 'pending', attempts = 0, ring = ring + 1, next_attempt_at = now(), due_at = ${inMs(timing.graceMs)}, held_until = null,
      delivered_at = null
    where id = ${id} and project = ${project}
    returning 'delivery' as kind, id as "deliveryId", ring as number`.execute(db);
  return rows[0] ?? null;
}
