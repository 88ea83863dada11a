import { sql } from 'kysely';
import { newId } from '../id.ts';
import { timing } from '../turn/timing.ts';
import type { Turn } from '../turn/turn.ts';
import { isActive } from './active.ts';
import type { Db } from './database.ts';
import { hasCome, inMs } from './due.ts';

/**
 * Takes the hold on the step the run has loaded; false where somebody else has it, or where the step was postponed and
 * its job is early, by a clock that is wrong (R3). The first hold starts the turn.
 */
export async function takeHold(db: Db, turn: Turn, runId: string): Promise<boolean> {
  const { rows } = await sql`
    with held as (
      update turns set held_by = ${runId}, held_until = ${inMs(timing.leaseMs)}, due_at = ${inMs(timing.leaseMs)},
        starts = starts + 1, rescues = 0, started_at = coalesce(started_at, now()),
        last_event = last_event + (status = 'queued')::int,
        status = case when status = 'queued' then 'in_progress' else status end
      where id = ${turn.id} and ${isActive} and at_head and step = ${turn.work.step}
        and (held_by is null or held_until < now()) and ${hasCome('retry_at')}
      returning id, last_event, started_at = now() as is_first
    ),
    event as (
      insert into events (turn_id, number, id, type)
      select id, last_event, ${newId('evt')}, 'turn.started' from held where is_first
    )
    select id from held`.execute(db);
  return rows.length > 0;
}
