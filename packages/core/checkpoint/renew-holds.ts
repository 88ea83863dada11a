import { sql } from 'kysely';
import { timing } from '../turn/timing.ts';
import { isActive } from './active.ts';
import type { Db } from './database.ts';
import { inMs } from './due.ts';

/** One run's word that it is on a step: `isFirst` may acquire the hold, for a run that started without writing. */
export type Beat = { turnId: string; step: string; runId: string; isFirst: boolean };

/**
 * One heartbeat for all steps a worker has on hand, in one statement: acquires once, then only renews (R4).
 * Answers the runs that hold their step; one that is missing has lost it.
 */
export async function renewHolds(db: Db, beats: Beat[]): Promise<Set<string>> {
  const { rows } = await sql<{ runId: string }>`
    with commit as materialized (select set_config('synchronous_commit', 'off', true))
    update turns set held_by = beat."runId", held_until = ${inMs(timing.leaseMs)}, due_at = ${inMs(timing.leaseMs)},
      starts = starts + (held_by is distinct from beat."runId")::int
    from commit, json_to_recordset(${beats}::json) as beat ("turnId" text, step text, "runId" text, "isFirst" boolean)
    where turns.id = beat."turnId" and ${isActive} and turns.step = beat.step
      and (held_by = beat."runId" or (beat."isFirst" and (held_by is null or held_until < now())))
    returning beat."runId"`.execute(db);
  return new Set(rows.map((row) => row.runId));
}
