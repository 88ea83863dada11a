import { sql } from 'kysely';
import { timing } from '../turn/timing.ts';
import { isActive } from './active.ts';
import type { Db } from './database.ts';
import { inMs } from './due.ts';

/** Calls of one batch that a run wants for itself, by their place in the batch. */
export type Claim = { turnId: string; round: number; runId: string; indexes: number[] };

/**
 * Claims `at_most_once` calls before they are made, together with the hold: durable, under the turn's row lock, only
 * where nobody else holds the turn and no claim or result is there (R6). Answers the calls that are now the run's own.
 */
export async function claimCalls(db: Db, { turnId, round, runId, indexes }: Claim): Promise<number[]> {
  const { rows } = await sql<{ index: number }>`
    with target as materialized (
      select id from turns where id = ${turnId} and ${isActive} and step = ${`b${round}`}
        and (held_by is null or held_by = ${runId} or held_until < now())
      for no key update
    ),
    claimed as (
      update tool_calls set claimed_by = ${runId}, claimed_at = now() from target
      where turn_id = target.id and round = ${round} and index in (select value::int from json_array_elements_text(${indexes}::json))
        and result is null and (claimed_by is null or claimed_by = ${runId})
      returning index
    ),
    held as (
      update turns set held_by = ${runId}, held_until = ${inMs(timing.leaseMs)}, due_at = ${inMs(timing.leaseMs)},
        starts = starts + (held_by is distinct from ${runId})::int, rescues = 0
      from target where turns.id = target.id and exists (select from claimed)
    )
    select index from claimed order by index`.execute(db);
  return rows.map((row) => row.index);
}
