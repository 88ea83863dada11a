import { type RawBuilder, sql } from 'kysely';

const STOPPED = 'The webhook endpoint is disabled or deleted. Enable it, then redeliver.';

/**
 * Fails those pending deliveries that `which` speaks of, of endpoints that hear of nothing more. One that is under way
 * right now tells its own end; the next attempt at it meets this again (`take-delivery.ts`).
 */
export function stopDeliveries(which: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`
    update deliveries set status = 'failed', last_error = ${STOPPED}, next_attempt_at = null, due_at = null, held_until = null
    where id in (
      select id from deliveries where ${which} and due_at is not null and (held_until is null or held_until < now())
      for no key update skip locked)`;
}
