import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import { timing } from '../../turn/timing.ts';
import type { DeliveryWakeup } from '../../turn/wakeup.ts';
import { hasEnabledEndpoint } from '../sql/deliveries.ts';
import { inMs } from '../sql/due.ts';
import { hasVisibleTurn } from '../sql/visible.ts';
import type { Db } from '../tables.ts';

/**
 * Starts a delivery anew, from its first attempt, with the same event id; earlier attempts are only in the log. Null
 * when there is none, or when its endpoint is disabled or deleted.
 */
export async function redeliver(db: Db, project: string, id: string): Promise<DeliveryWakeup | null> {
  const rows = await write(
    db,
    sql<DeliveryWakeup>`
    update deliveries set status = 'pending', attempts = 0, generation = generation + 1, next_attempt_at = now(),
      due_at = ${inMs(timing.graceMs)}, lease_until = null, delivered_at = null, last_status_code = null, last_error = null
    where id = ${id} and project = ${project} and ${hasVisibleTurn}
      and (endpoint_id is null or ${hasEnabledEndpoint})
    returning 'delivery' as kind, id as "deliveryId", generation`,
  );
  return rows[0] ?? null;
}
