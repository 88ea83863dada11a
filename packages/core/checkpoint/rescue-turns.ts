import { sql } from 'kysely';
import type { TurnRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { Db } from './database.ts';
import { ringColumns } from './ring-columns.ts';

/**
 * Finds turns that nobody is on although somebody should be (R2), and raises their ring number so that no live, wedged or
 * retained job can swallow the ring (R11). Backs off as long as nobody comes: each hold starts the pauses anew. Several
 * rescuers share the work. Holds stay (R9).
 */
export async function rescueTurns(db: Db, limit: number): Promise<TurnRing[]> {
  const pauseMs = sql<number>`least(${timing.graceMs} * power(2, least(rescues, 10)), ${timing.longestGraceMs})`;
  const { rows } = await sql<TurnRing>`
    update turns set ring = ring + 1, rescues = rescues + 1,
      due_at = least(now() + ${pauseMs} * interval '1 millisecond', case when deadline_at > now() then deadline_at end)
    where id in (select id from turns where due_at < now() order by due_at limit ${limit} for no key update skip locked)
    returning ${ringColumns}, coalesce(deadline_at <= now(), false) as overdue`.execute(db);
  return rows;
}
