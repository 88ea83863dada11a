import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';

/** A rate: at most `max` starts in any `perSeconds`. */
export type Rate = { max: number; perSeconds: number };

/**
 * A start of a tool under the turn's rate and, if set, the operator's rate. A start later than `maxWaitMs` is not
 * booked.
 */
export type SlotRequest = Rate & { project: string; tool: string; operatorRate?: Rate | undefined; maxWaitMs: number };

/**
 * Books the next start that a tool's rate limits allow, across all workers, by the database's clock. Calls under the
 * same limit count together. Returns the milliseconds until the start. Does not book a start after `maxWaitMs`.
 */
export async function takeRateLimitSlot(db: Db, request: SlotRequest): Promise<number> {
  const { project, tool, max, perSeconds, operatorRate } = request;
  const rates = [{ max, perSeconds }, ...(operatorRate ? [operatorRate] : [])];
  const waitMs = await book(db, { ...request, rates });
  if (waitMs !== undefined) return waitMs;

  const statement = sql`insert into tool_rates (project, tool, max, per_seconds)
    select ${project}, ${tool}, max, "perSeconds" from json_to_recordset(${rates}::json) as rate (max int, "perSeconds" int)
    on conflict do nothing`;
  await write(db, statement);
  return takeRateLimitSlot(db, request);
}

type Booking = Pick<SlotRequest, 'project' | 'tool' | 'maxWaitMs'> & { rates: Rate[] };

/** Books a start that every rate allows. Reads the clock after it has locked the rows in one order. */
async function book(db: Db, { project, tool, maxWaitMs, rates }: Booking): Promise<number | undefined> {
  const statement = sql<{ waitMs: number }>`
    with input as materialized (
      select max, "perSeconds" as per_seconds from json_to_recordset(${rates}::json) as rate (max int, "perSeconds" int)
    ),
    rate as materialized (
      select max, per_seconds, starts from tool_rates join input using (max, per_seconds)
      where project = ${project} and tool = ${tool} order by max, per_seconds for no key update of tool_rates
    ),
    recent as materialized (
      select max, span, read_at, array(select start from unnest(starts) as start where start > read_at - span order by start) as starts
      from (select *, make_interval(secs => per_seconds) as span, clock_timestamp() as read_at from rate) as clocked
    ),
    slot as materialized (
      select max(read_at) as read_at, max(case when cardinality(starts) < max then read_at
        else greatest(read_at, starts[cardinality(starts) - max + 1] + span) end) as start
      from recent having count(*) = (select count(*) from input)
    ),
    booked as (
      update tool_rates set starts = recent.starts || slot.start from recent, slot
      where project = ${project} and tool = ${tool} and tool_rates.max = recent.max
        and make_interval(secs => per_seconds) = span
        and slot.start <= slot.read_at + ${maxWaitMs} * interval '1 millisecond'
    )
    select extract(epoch from start - read_at)::double precision * 1000 as "waitMs" from slot`;
  const [slot] = await write(db, statement);
  return slot?.waitMs;
}
