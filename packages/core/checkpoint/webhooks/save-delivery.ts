import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import { inMs } from '../sql/due.ts';
import type { Db } from '../tables.ts';

/** The outcome of an attempt of a delivery. `retryInMs` is null if the delivery has ended. */
export type DeliveryAttempt = {
  id: string;
  /** The number of attempts before. With this guard, only one of two workers counts the attempt. */
  attempts: number;
  status: 'pending' | 'delivered' | 'failed';
  statusCode: number | null;
  /** The beginning of the receiver's answer. */
  body: string | null;
  error: string | null;
  durationMs: number;
  retryInMs: number | null;
};

/**
 * Saves an attempt, also in the log, and whether its endpoint fails. A delivery that has ended, or that another
 * worker has counted, does not change (R16). Returns whether a due delivery has waited for this attempt.
 */
export async function saveDelivery(db: Db, attempt: DeliveryAttempt): Promise<boolean> {
  const { id, retryInMs, status, statusCode, error } = attempt;
  const nextAt = retryInMs === null ? sql`null` : inMs(retryInMs);
  const startedAt = sql`now() - ${attempt.durationMs}::double precision * interval '1 millisecond'`;
  const statement = sql<{ leavesNext: boolean }>`
    with saved as (
      update deliveries set status = ${status}, attempts = attempts + 1,
        next_attempt_at = ${nextAt}, due_at = ${nextAt}, lease_until = null, last_status_code = ${statusCode}::int, last_error = ${error}::text,
        delivered_at = case when ${status === 'delivered'} then now() end
      where id = ${id} and status = 'pending' and attempts = ${attempt.attempts}
      returning *
    ),
    logged as (
      insert into delivery_attempts (delivery_id, at, attempt, status_code, body, error, duration_ms)
      select id, ${startedAt}, attempts, ${statusCode}::int, ${attempt.body}::text, ${error}::text, ${attempt.durationMs}::int
      from saved
    ),
    endpoint as (
      update webhook_endpoints set failing_since = case when failing_since is null then now() end from saved
      where webhook_endpoints.id = endpoint_id and (failing_since is not null) = ${status === 'delivered'}
    )
    select exists (
      select from deliveries as waiting join saved on waiting.turn_id = saved.turn_id
      where (waiting.event_number, waiting.id) > (saved.event_number, saved.id) and waiting.due_at <= now()
        and coalesce(waiting.endpoint_id, waiting.url) = coalesce(saved.endpoint_id, saved.url)) as "leavesNext"`;
  const [row] = await write(db, statement);
  return row?.leavesNext ?? false;
}
