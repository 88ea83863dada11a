import { sql } from 'kysely';
import type { DeliveryRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { Db } from './database.ts';
import { inMs } from './due.ts';
import { hasEnabledEndpoint } from './has-enabled-endpoint.ts';

/**
 * Makes a delivery owed once more, from its first attempt, with the same event id; what came of it before is only in
 * the log. Null when there is none, or when its
 * endpoint is disabled or deleted.
 */
export async function redeliver(db: Db, project: string, id: string): Promise<DeliveryRing | null> {
  const { rows } = await sql<DeliveryRing>`
    update deliveries set status = 'pending', attempts = 0, ring = ring + 1, next_attempt_at = now(), due_at = ${inMs(timing.graceMs)}, held_until = null,
      delivered_at = null, last_status_code = null, last_error = null
    where id = ${id} and project = ${project} and (endpoint_id is null or ${hasEnabledEndpoint})
    returning 'delivery' as kind, id as "deliveryId", ring as number`.execute(db);
  return rows[0] ?? null;
}
