import { sql } from 'kysely';
import type { Ring } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { Db } from './database.ts';
import { dueIn, inMs } from './due.ts';

/**
 * Rescues whose rings no queue took count for nothing: who was rescued in vain is rescued again after the first pause,
 * however long the queue was away. Whoever is held or was rung since stays as it is.
 */
export async function rescueSooner(db: Db, rings: Ring[]): Promise<void> {
  const turns = rings.filter((ring) => ring.kind === 'turn');
  const deliveries = rings.filter((ring) => ring.kind === 'delivery');
  await sql`
    update turns set rescues = greatest(rescues - 1, 0), due_at = least(due_at, ${dueIn(timing.graceMs)})
    from json_to_recordset(${turns}::json) as rung ("turnId" text, number int)
    where turns.id = rung."turnId" and ring = rung.number and due_at is not null
      and (held_by is null or held_until < now())`.execute(db);
  await sql`
    update deliveries set due_at = least(due_at, ${inMs(timing.graceMs)})
    from json_to_recordset(${deliveries}::json) as rung ("deliveryId" text, number int)
    where deliveries.id = rung."deliveryId" and ring = rung.number and due_at is not null
      and (held_until is null or held_until < now())`.execute(db);
}
