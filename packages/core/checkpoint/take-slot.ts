import { sql } from 'kysely';
import type { Db } from './database.ts';

/** No more than `max` starts in any `perSeconds`. */
export type Rate = { max: number; perSeconds: number };

/**
 * A call of a tool that may start under a rate, and `beside` it under another; a start later than `patienceMs` from now is
 * not taken.
 */
export type SlotRequest = Rate & { project: string; tool: string; beside?: Rate | undefined; patienceMs: number };

/**
 * Books the next start that a tool's rate limits leave, across all workers, by the database's clock; calls under the same
 * limit are counted together. Answers how many milliseconds it lies ahead; one beyond the patience is only named.
 */
export async function takeSlot(db: Db, wanted: SlotRequest): Promise<number> {
  const { project, tool, max, perSeconds, beside } = wanted;
  const rates = [{ max, perSeconds }, ...(beside ? [beside] : [])];
  const waitMs = await book(db, { ...wanted, rates });
  if (waitMs !== undefined) return waitMs;

  await sql`insert into tool_rates (project, tool, max, per_seconds)
    select ${project}, ${tool}, max, "perSeconds" from json_to_recordset(${rates}::json) as rate (max int, "perSeconds" int)
    on conflict do nothing`.execute(db);
  return takeSlot(db, wanted);
}

type Booking = Pick<SlotRequest, 'project' | 'tool' | 'patienceMs'> & { rates: Rate[] };

/** A start is one that every rate leaves. The clock is read behind the locks of their rows, which are taken in one order. */
async function book(db: Db, { project, tool, patienceMs, rates }: Booking): Promise<number | undefined> {
  const { rows } = await sql<{ waitMs: number }>`
    with asked as materialized (
      select max, "perSeconds" as per_seconds from json_to_recordset(${rates}::json) as rate (max int, "perSeconds" int)
    ),
    rate as materialized (
      select max, per_seconds, starts from tool_rates join asked using (max, per_seconds)
      where project = ${project} and tool = ${tool} order by max, per_seconds for no key update of tool_rates
    ),
    recent as materialized (
      select max, span, moment, array(select start from unnest(starts) as start where start > moment - span order by start) as starts
      from (select *, make_interval(secs => per_seconds) as span, clock_timestamp() as moment from rate) as now
    ),
    slot as materialized (
      select max(moment) as moment, max(case when cardinality(starts) < max then moment
        else greatest(moment, starts[cardinality(starts) - max + 1] + span) end) as start
      from recent having count(*) = (select count(*) from asked)
    ),
    booked as (
      update tool_rates set starts = recent.starts || slot.start from recent, slot
      where project = ${project} and tool = ${tool} and tool_rates.max = recent.max
        and make_interval(secs => per_seconds) = span
        and slot.start <= slot.moment + ${patienceMs} * interval '1 millisecond'
    )
    select extract(epoch from start - moment)::double precision * 1000 as "waitMs" from slot`.execute(db);
  return rows[0]?.waitMs;
}
