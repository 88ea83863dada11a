import { sql } from 'kysely';
import type { Trx } from '../../tables.ts';

/**
 * Puts off a queued turn that an input was merged into in this transaction: it may be begun so long after now, and at most ten
 * times as long after it was asked for. It leaves the line until then, like any turn whose time has not come (R35). One that is at
 * the head is due already, and stays so.
 */
export async function debounceTurn(trx: Trx, turnId: string, debounceMs: number): Promise<void> {
  const times = (factor: number) => sql`make_interval(secs => ${(factor * debounceMs) / 1_000}::double precision)`;
  const startsAt = sql`least(now() + ${times(1)}, created_at + ${times(10)})`;
  await sql`
    update turns set start_at = ${startsAt}, position = null, debounced = true, waiting_since = now()
    where id = ${turnId} and status = 'queued' and not at_head and (position is null or ${startsAt} > now())`.execute(
    trx,
  );
}
