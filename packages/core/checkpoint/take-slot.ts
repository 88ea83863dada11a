import { sql } from 'kysely';
import type { Db } from './database.ts';

/** A call of a tool that may start `max` times in any `perSeconds`; a start later than `patienceMs` from now is not taken. */
export type SlotRequest = { project: string; tool: string; max: number; perSeconds: number; patienceMs: number };

/**
 * Books the next start that a tool's rate limit leaves, across all workers, by the database's clock; calls under the same
 * limit are counted together. Answers how many milliseconds it lies ahead; one beyond the patience is only named.
 */
export async function takeSlot(db: Db, wanted: SlotRequest): Promise<number> {
  const waitMs = await book(db, wanted);
  if (waitMs !== undefined) return waitMs;

  const { project, tool, max, perSeconds } = wanted;
  await sql`insert into tool_rates (project, tool, max, per_seconds) values (${project}, ${tool}, ${max}, ${perSeconds})
    on conflict do nothing`.execute(db);
  return takeSlot(db, wanted);
}

/** The clock is read behind the row's lock. */
async function book(db: Db, { project, tool, max, perSeconds, patienceMs }: SlotRequest): Promise<number | undefined> {
  const span = sql`make_interval(secs => ${perSeconds})`;
  const isIt = sql`project = ${project} and tool = ${tool} and max = ${max} and per_seconds = ${perSeconds}`;
  const { rows } = await sql<{ waitMs: number }>`
    with rate as materialized (select starts from tool_rates where ${isIt} for no key update),
    recent as materialized (
      select clock_timestamp() as moment,
        array(select start from unnest(starts) as start where start > clock_timestamp() - ${span} order by start) as starts
      from rate
    ),
    slot as (
      select starts, moment, case when cardinality(starts) < ${max} then moment
        else greatest(moment, starts[cardinality(starts) - ${max} + 1] + ${span}) end as start
      from recent
    ),
    booked as (
      update tool_rates set starts = slot.starts || slot.start from slot
      where ${isIt} and slot.start <= moment + ${patienceMs} * interval '1 millisecond'
    )
    select extract(epoch from start - moment)::double precision * 1000 as "waitMs" from slot`.execute(db);
  return rows[0]?.waitMs;
}
