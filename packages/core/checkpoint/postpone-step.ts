import { sql } from 'kysely';
import { newId } from '../id.ts';
import type { TurnRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { Db } from './database.ts';
import { dueIn, inMs } from './due.ts';
import { ringColumns } from './ring-columns.ts';

/**
 * A step that is to be tried again after `delayMs`. `attempt` says whether this try counts; `parkedMs` how long the
 * provider asked everybody to wait; `requests` how many the try made of the model; `told` is the data of `step.retrying`, absent when a deploy hands the step back.
 */
export type Postponement = {
  turnId: string;
  step: string;
  /** The ring number the run has loaded: without its hold, it hands nothing back that was rung or handed back since. */
  ring: number;
  runId: string;
  /** Calls of the run that were made: their claims stay, for whoever comes next to judge (R8). */
  called: number[];
  delayMs: number;
  attempt: boolean;
  parkedMs: number;
  requests?: number;
  told: Record<string, unknown> | null;
};

/**
 * Hands a step back to be rung later (R2). A negative write: only by the run that holds the step, or where nobody does
 * (R5). The ring number goes up, since the run's own job id is still in use (R11). A claim of the run
 * whose call was never made is given back with the hold (R8). Null when nothing was written.
 */
export async function postponeStep(db: Db, later: Postponement): Promise<TurnRing | null> {
  const { turnId, step, runId, delayMs } = later;
  const { rows } = await sql<TurnRing>`
    with turns as (
      update turns set due_at = ${dueIn(delayMs + timing.graceMs)}, retry_at = ${inMs(delayMs)}, held_by = null, held_until = null, ring = ring + 1,
        starts = 0, attempts = attempts + ${later.attempt ? 1 : 0}, parked_ms = parked_ms + ${later.parkedMs},
        failed_requests = failed_requests + ${later.requests ?? 0},
        last_event = last_event + ${later.told ? 1 : 0}
      where id = ${turnId} and status = 'in_progress' and step = ${step}
        and (held_by = ${runId} or (ring = ${later.ring} and (held_by is null or held_until < now())))
      returning *
    ),
    unclaimed as (
      update tool_calls set claimed_by = null, claimed_at = null from turns
      where turn_id = turns.id and claimed_by = ${runId} and result is null and index not in (select value::int from json_array_elements_text(${later.called}::json))
    ),
    event as (
      insert into events (turn_id, number, id, type, data)
      select id, last_event, ${newId('evt')}, 'step.retrying', ${later.told}::json from turns where ${later.told !== null}
    )
    select ${ringColumns} from turns`.execute(db);
  return rows[0] ? { ...rows[0], delayMs } : null;
}
