import { sql } from 'kysely';
import { newId } from '../id.ts';
import { timing } from '../turn/timing.ts';
import type { Turn } from '../turn/turn.ts';
import type { Db } from './database.ts';
import { hasCome, inMs } from './due.ts';
import { statementFor } from './row-set.ts';
import { requestColumns, stateColumns, type TurnAsRead, toTurn } from './select-turns.ts';

/**
 * Reads a turn that nobody has begun and takes its first hold, in one statement; answers the turn as it was before.
 * Undefined where anything stands against it, which `loadTurn` and `takeHold` then tell one by one (R3).
 */
export async function beginTurn(db: Db, turnId: string, runId: string): Promise<Turn | undefined> {
  const [row] = await write(db, { turnId, runId, eventId: newId('evt') });
  if (!row) return undefined;
  const turn = toTurn(row);
  const work = { ...turn.work, heldBy: null, held: false, quiet: false, starts: 0 };
  return { ...turn, status: 'queued', startedAt: null, lastEvent: turn.lastEvent - 1, work };
}

const write = statementFor<TurnAsRead>(
  sql`"runId" text, "eventId" text`,
  (asked) => sql`
    with ${asked},
    held as (
      update turns set held_by = "runId", held_until = ${inMs(timing.leaseMs)}, due_at = ${inMs(timing.leaseMs)}, starts = 1,
        rescues = 0, started_at = now(), last_event = last_event + 1, status = 'in_progress'
      from asked where turns.id = "turnId" and status = 'queued' and at_head and step = 'r1' and ring = 0 and starts = 0
        and held_by is null and (deadline_at is null or deadline_at > now()) and ${hasCome('retry_at')}
      returning turns.*, asked.*
    ),
    event as (
      insert into events (turn_id, number, id, type) select id, last_event, "eventId", 'turn.started' from held
    )
    select "turnId", ${requestColumns}, ${stateColumns}, null::json as rounds, null::json as calls from held`,
);
