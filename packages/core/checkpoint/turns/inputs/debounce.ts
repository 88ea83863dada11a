import { sql } from 'kysely';
import type { Trx } from '../../tables.ts';

/**
 * Delays a queued turn after this transaction has merged an input into it. The turn may begin `debounceMs` from now,
 * but at most ten times as long after its request. Until then it has no position, like any turn before its time
 * (R35). A turn at the head is already due and does not change.
 */
export async function debounceTurn(trx: Trx, turnId: string, debounceMs: number): Promise<void> {
  const times = (factor: number) => sql`make_interval(secs => ${(factor * debounceMs) / 1_000}::double precision)`;
  const startsAt = sql`least(now() + ${times(1)}, turns.created_at + ${times(10)})`;
  await sql`
    with put_off as (
      update work set position = null, debounced = true, waiting_since = now() from turns
      where work.id = ${turnId} and turns.id = work.id and work.status = 'queued' and not at_head
        and (work.position is null or ${startsAt} > now())
      returning work.id, ${startsAt} as starts_at
    )
    update turns set start_at = starts_at, position = null from put_off where turns.id = put_off.id`.execute(trx);
}
