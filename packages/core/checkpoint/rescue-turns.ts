import { sql } from 'kysely';
import type { TurnRing } from '../turn/ring.ts';
import { MAX_PARKED_MS, timing } from '../turn/timing.ts';
import type { Db } from './database.ts';
import { inMs } from './due.ts';
import { ringColumns } from './ring-columns.ts';

/** A model that may not be asked, for how much longer, and whether waiting for it counts towards what a turn may wait in all. */
export type RateLimited = { model: string; forMs: number; counts: boolean };

/** Rows put off at once: each costs a write, but nothing in a queue. */
const PUT_OFF_AT_ONCE = 2_000;

/**
 * Finds turns that nobody is on although somebody should be (R2), and raises their ring number so that no live, wedged or
 * retained job can swallow the ring (R11). Backs off as long as nobody comes: each hold starts the pauses anew. Several
 * rescuers share the work. Holds stay (R9). A round whose model is rate-limited for long is not late before that is over.
 */
export async function rescueTurns(db: Db, limit: number, limits: RateLimited[] = []): Promise<TurnRing[]> {
  const lasting = limits.filter(({ forMs }) => forMs > timing.graceMs);
  if (lasting.length > 0) await putOff(db, lasting);
  const pauseMs = sql<number>`least(${timing.graceMs} * power(2, least(rescues, 10)), ${timing.longestGraceMs})`;
  const { rows } = await sql<TurnRing>`
    update turns set ring = ring + 1, rescues = rescues + 1,
      due_at = least(now() + ${pauseMs} * interval '1 millisecond', case when deadline_at > now() then deadline_at end)
    where id in (select id from turns where due_at < now() order by due_at limit ${limit} for no key update skip locked)
    returning ${ringColumns}, coalesce(deadline_at <= now(), false) as overdue`.execute(db);
  return rows;
}

/**
 * Postpones late rounds until the limits of their models end, spread out, so that not all are looked for in one moment; a
 * deadline is kept all the same. One that has waited for as long as a turn may is left to a worker, which fails it.
 */
async function putOff(db: Db, limits: RateLimited[]): Promise<void> {
  await sql`
    update turns set ring = ring + 1, retry_at = ${inMs(sql`"forMs"`)}, rate_limited = true,
      waits_since = case when rate_limited then waits_since else now() end, parked_ms = parked_ms + "countedMs"::int,
      due_at = least(deadline_at, ${inMs(sql`"forMs" + ${timing.graceMs} * (1 + random())`)})
    from (
      select id as late, "forMs", case when counts then "forMs" else 0 end as "countedMs" from turns
      join json_to_recordset(${limits}::json) as limited (model text, "forMs" double precision, counts boolean) using (model)
      where due_at < now() and step like 'r%' and coalesce(deadline_at > now(), true)
        and (not counts or parked_ms + "forMs" <= ${MAX_PARKED_MS})
      order by due_at limit ${PUT_OFF_AT_ONCE} for no key update of turns skip locked
    ) as late where id = late`.execute(db);
}
