import { sql } from 'kysely';
import type { DeliveryRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { Db } from './database.ts';
import { inMs } from './due.ts';

/** What one attempt at a delivery came to. `retryInMs` is null when it is over, one way or the other. */
export type DeliveryAttempt = {
  id: string;
  /** Attempts before this one: the guard that lets only one of two workers count it. */
  attempts: number;
  status: 'pending' | 'delivered' | 'failed';
  statusCode: number | null;
  error: string | null;
  retryInMs: number | null;
};

/** Records an attempt; a delivery that is over, or that another worker has counted, stays as it is. */
export async function saveDelivery(db: Db, attempt: DeliveryAttempt): Promise<DeliveryRing | null> {
  const { retryInMs, status } = attempt;
  const nextAt = retryInMs === null ? sql`null` : inMs(retryInMs);
  const dueAt = retryInMs === null ? sql`null` : inMs(retryInMs + timing.graceMs);
  const { rows } = await sql<DeliveryRing>`
    update deliveries set status = ${status}, attempts = attempts + 1, ring = ring + 1, next_attempt_at = ${nextAt},
      due_at = ${dueAt}, held_until = null,
      last_status_code = ${attempt.statusCode}::int, last_error = ${attempt.error}::text,
      delivered_at = case when ${status === 'delivered'} then now() end
    where id = ${attempt.id} and status = 'pending' and attempts = ${attempt.attempts}
    returning 'delivery' as kind, id as "deliveryId", ring as number`.execute(db);
  return rows[0] && retryInMs !== null ? { ...rows[0], delayMs: retryInMs } : null;
}
