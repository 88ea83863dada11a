import { sql } from 'kysely';
import { newId } from '../id.ts';
import { timing } from '../turn/timing.ts';
import type { Turn } from '../turn/turn.ts';
import { isActive } from './active.ts';
import type { Db } from './database.ts';
import { hasCome, inMs } from './due.ts';
import { statementFor } from './row-set.ts';

/**
 * Takes the hold on the step the run has loaded; false where somebody else has it, or where the step was postponed and
 * its job is early, by a clock that is wrong (R3). The first hold starts the turn.
 */
export async function takeHold(db: Db, turn: Turn, runId: string): Promise<boolean> {
  const rows = await write(db, { turnId: turn.id, step: turn.work.step, runId, eventId: newId('evt') });
  return rows.length > 0;
}

const write = statementFor(
  sql`step text, "runId" text, "eventId" text`,
  (asked) => sql`
    with ${asked},
    held as (
      update turns set held_by = "runId", held_until = ${inMs(timing.leaseMs)}, due_at = ${inMs(timing.leaseMs)},
        starts = starts + 1, rescues = 0, started_at = coalesce(started_at, now()),
        last_event = last_event + (status = 'queued')::int,
        status = case when status = 'queued' then 'in_progress' else status end
      from asked where turns.id = "turnId" and ${isActive} and at_head and turns.step = asked.step
        and (held_by is null or held_until < now()) and ${hasCome('retry_at')}
      returning turns.id, last_event, started_at = now() as is_first, "eventId"
    ),
    event as (
      insert into events (turn_id, number, id, type)
      select id, last_event, "eventId", 'turn.started' from held where is_first
    )
    select id as "turnId" from held`,
);
