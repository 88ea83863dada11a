import { sql } from 'kysely';
import { timing } from '../turn/timing.ts';
import { isActive } from './active.ts';
import type { Db } from './database.ts';
import { inMs } from './due.ts';

/** One run's claim to a step: `isFirst` acquires the hold of a run that started without writing. */
export type Beat = { turnId: string; step: string; runId: string; isFirst: boolean };

/**
 * One heartbeat for all steps a worker has on hand, in one statement: acquires once, then only renews (R4).
 * Answers the runs that hold their step; one that is missing has lost it.
 */
export async function renewHolds(db: Db, beats: Beat[]): Promise<Set<string>> {
  const { rows } = await sql<{ runId: string }>`
    with commit as materialized (select set_config('synchronous_commit', 'off', true))
    update turns set held_by = beat."runId", held_until = ${inMs(timing.leaseMs)}, due_at = ${inMs(timing.leaseMs)},
      starts = starts + beat."isFirst"::int
    from commit, json_to_recordset(${beats}::json) as beat ("turnId" text, step text, "runId" text, "isFirst" boolean)
    where turns.id = beat."turnId" and ${isActive} and turns.step = beat.step
      and case when beat."isFirst" then held_by is null or held_until < now() else held_by = beat."runId" end
    returning beat."runId"`.execute(db);
  return new Set(rows.map((row) => row.runId));
}
