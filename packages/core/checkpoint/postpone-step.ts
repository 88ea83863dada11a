import { sql } from 'kysely';
import { newId } from '../id.ts';
import type { TurnRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { Db } from './database.ts';
import { dueIn, inMs } from './due.ts';
import { ringColumns } from './ring-columns.ts';
import { asItIs, statementFor } from './row-set.ts';

/**
 * A step that is to be tried again after `delayMs`. `attempt` says whether this try counts; `rateLimited` whether it
 * waits for a rate limit, and `parkedMs` how much of the delay counts towards what it may wait for those in all; `requests` how many the try made of the model; `told` is the data of `step.retrying`,
 * null where there is nothing new to tell.
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
  rateLimited: boolean;
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
  const { attempt, told, ring: ownRing, ...rest } = later;
  const row = {
    ...rest,
    ownRing,
    requests: later.requests ?? 0,
    counts: attempt ? 1 : 0,
    told: asItIs(told),
    eventId: newId('evt'),
  };
  const [ring] = await write(db, row);
  return ring ? { ...ring, delayMs: later.delayMs } : null;
}

const write = statementFor<TurnRing>(
  sql`step text, "ownRing" int, "runId" text, called json, "delayMs" double precision, counts int, requests int, "rateLimited" boolean, "parkedMs" int,
  told text, "eventId" text`,
  (asked) => sql`
    with ${asked},
    turns as (
      update turns set due_at = ${dueIn(sql`"delayMs" + ${sql.lit(timing.graceMs)}`)}, retry_at = ${inMs(sql`"delayMs"`)},
        rate_limited = "rateLimited", waits_since = case when rate_limited and "rateLimited" then waits_since else now() end,
        held_by = null, held_until = null, ring = turns.ring + 1, starts = 0, attempts = attempts + counts, failed_requests = failed_requests + requests,
        parked_ms = parked_ms + "parkedMs", last_event = last_event + (told is not null)::int
      from asked where turns.id = "turnId" and status in ('queued', 'in_progress') and turns.step = asked.step
        and (held_by = "runId" or (turns.ring = "ownRing" and (held_by is null or held_until < now())))
      returning turns.id, turns.step, turns.ring, provider, priority, last_event, "runId", called, told, "eventId"
    ),
    unclaimed as (
      update tool_calls set claimed_by = null, claimed_at = null from turns
      where turn_id = turns.id and claimed_by = "runId" and result is null
        and index not in (select value::int from json_array_elements_text(called))
    ),
    event as (
      insert into events (turn_id, number, id, type, data)
      select id, last_event, "eventId", 'step.retrying', told::json from turns where told is not null
    )
    select ${ringColumns} from turns`,
);
