import { sql } from 'kysely';
import { timing } from '../turn/timing.ts';
import { isActive } from './active.ts';
import type { Db } from './database.ts';
import { inMs } from './due.ts';

/**
 * One run's word that it is on a step. `isFirst` may acquire the hold, for a run that started without writing, as long as
 * the step has not been rung again since (`ring`).
 */
export type Beat = { turnId: string; step: string; ring: number; runId: string; isFirst: boolean };

/** `held`: the run has its step for another lease. `busy`: somebody is writing to the turn, so nothing is known yet. */
export type Beaten = 'held' | 'busy';

/**
 * One heartbeat for all steps a worker has on hand, in one statement: acquires once, then only renews (R2b, R4). A turn that
 * somebody else has locked is passed over, so that one of them never holds up the others. A run that is missing from the
 * answer has lost its step.
 */
export async function renewHolds(db: Db, beats: Beat[]): Promise<Map<string, Beaten>> {
  const { rows } = await sql<{ runId: string; isHeld: boolean }>`
    with beat as materialized (
      select * from json_to_recordset(${beats}::json)
        as beat ("turnId" text, step text, ring int, "runId" text, "isFirst" boolean)
    ),
    candidate as materialized (select "runId" from turns join beat on id = "turnId" where ${mayHold}),
    free as materialized (
      select id from turns where id in (select "turnId" from beat) for no key update skip locked
    ),
    renewed as (
      update turns set held_by = beat."runId", held_until = ${inMs(timing.leaseMs)}, due_at = ${inMs(timing.leaseMs)},
        starts = starts + (held_by is distinct from beat."runId")::int, rescues = 0
      from beat, free
      where turns.id = free.id and turns.id = beat."turnId" and ${mayHold}
      returning beat."runId"
    )
    select "runId", "runId" in (select "runId" from renewed) as "isHeld" from candidate`.execute(db);
  return new Map(rows.map(({ runId, isHeld }) => [runId, isHeld ? 'held' : 'busy']));
}

const mayHold = sql<boolean>`${isActive} and turns.step = beat.step
  and (held_by = beat."runId" or (beat."isFirst" and status = 'in_progress' and turns.ring = beat.ring
    and (held_by is null or held_until < now())))`;
