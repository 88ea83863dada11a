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
  /** The beginning of what the receiver answered. */
  body: string | null;
  error: string | null;
  durationMs: number;
  retryInMs: number | null;
};

/**
 * Records an attempt, in the log too, and whether its endpoint fails; a delivery that is over, or that another worker has
 * counted, stays as it is (R16). Answers the rings owed: its own, if it is to be tried again, and that of one that waited
 * for it.
 */
export async function saveDelivery(db: Db, attempt: DeliveryAttempt): Promise<DeliveryRing[]> {
  const { id, retryInMs, status, statusCode, error } = attempt;
  const nextAt = retryInMs === null ? sql`null` : inMs(retryInMs);
  const dueAt = retryInMs === null ? sql`null` : inMs(retryInMs + timing.graceMs);
  const startedAt = sql`now() - ${attempt.durationMs}::double precision * interval '1 millisecond'`;
  const { rows } = await sql<DeliveryRing>`
    with saved as (
      update deliveries set status = ${status}, attempts = attempts + 1, ring = ring + 1, next_attempt_at = ${nextAt},
        due_at = ${dueAt}, held_until = null, last_status_code = ${statusCode}::int, last_error = ${error}::text,
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
    ),
    next as (${ringNext})
    select 'delivery' as kind, id as "deliveryId", ring as number, ${retryInMs}::int as "delayMs"
    from saved where status = 'pending'
    union all
    select 'delivery', id, ring, 0 from next`.execute(db);
  return rows;
}

/** The first that may be tried now, and may have come while this one was under way, to be told that it has to wait. */
const ringNext = sql`
  update deliveries set ring = deliveries.ring + 1, due_at = ${inMs(timing.graceMs)}
  where id = (
    select waiting.id from deliveries as waiting join saved on waiting.turn_id = saved.turn_id
    where waiting.event_number > saved.event_number and waiting.due_at is not null and waiting.next_attempt_at <= now()
      and coalesce(waiting.endpoint_id, waiting.url) = coalesce(saved.endpoint_id, saved.url)
      and (waiting.held_until is null or waiting.held_until < now())
    order by waiting.event_number limit 1
    for no key update of waiting skip locked)
  returning id, ring`;
