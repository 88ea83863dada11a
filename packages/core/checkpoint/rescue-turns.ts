import { sql } from 'kysely';
import type { TurnRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { Db } from './database.ts';
import { ringColumns } from './ring-columns.ts';

/** A provider that asked everybody to wait, and for how much longer. */
export type Parked = { provider: string; forMs: number };

/** Rows put off at once: each costs a write, but nothing in a queue. */
const PUT_OFF_AT_ONCE = 2_000;

/**
 * Finds turns that nobody is on although somebody should be (R2), and raises their ring number so that no live, wedged or
 * retained job can swallow the ring (R11). Backs off as long as nobody comes: each hold starts the pauses anew. Several
 * rescuers share the work. Holds stay (R9). A round that waits for a parked provider is not late before that is over.
 */
export async function rescueTurns(db: Db, limit: number, parked: Parked[] = []): Promise<TurnRing[]> {
  for (const each of parked) await putOff(db, each);
  const pauseMs = sql<number>`least(${timing.graceMs} * power(2, least(rescues, 10)), ${timing.longestGraceMs})`;
  const { rows } = await sql<TurnRing>`
    update turns set ring = ring + 1, rescues = rescues + 1,
      due_at = least(now() + ${pauseMs} * interval '1 millisecond', case when deadline_at > now() then deadline_at end)
    where id in (select id from turns where due_at < now() order by due_at limit ${limit} for no key update skip locked)
    returning ${ringColumns}, coalesce(deadline_at <= now(), false) as overdue`.execute(db);
  return rows;
}

/** Spread out, so that not all of them are looked for in one moment; a deadline is kept all the same. */
async function putOff(db: Db, { provider, forMs }: Parked): Promise<void> {
  await sql`
    update turns set due_at = least(deadline_at,
      now() + (${forMs}::double precision + ${timing.graceMs} * (1 + random())) * interval '1 millisecond')
    where id in (
      select id from turns
      where due_at < now() and provider = ${provider} and step like 'r%' and coalesce(deadline_at > now(), true)
      order by due_at limit ${PUT_OFF_AT_ONCE} for no key update skip locked
    )`.execute(db);
}
