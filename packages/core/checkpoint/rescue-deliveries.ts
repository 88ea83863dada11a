import { sql } from 'kysely';
import type { DeliveryRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { Db } from './database.ts';
import { inMs } from './due.ts';

/** Rings again for deliveries that are late, as for turns. */
export async function rescueDeliveries(db: Db, limit: number): Promise<DeliveryRing[]> {
  const { rows } = await sql<DeliveryRing>`
    update deliveries set ring = ring + 1, due_at = ${inMs(timing.longestGraceMs)}
    where id in (select id from deliveries where due_at < now() order by due_at limit ${limit} for no key update skip locked)
    returning 'delivery' as kind, id as "deliveryId", ring as number`.execute(db);
  return rows;
}
