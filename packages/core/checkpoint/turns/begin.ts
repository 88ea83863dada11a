import { sql } from 'kysely';
import { newId } from '../../id.ts';
import { timing } from '../../turn/timing.ts';
import type { Turn } from '../../turn/turn.ts';
import { hasCome, inMs } from '../sql/due.ts';
import { hasPlace } from '../sql/place.ts';
import { writeFor } from '../sql/statement.ts';
import type { Db } from '../tables.ts';
import { joinedOf, requestColumns, selectTurn, stateColumns, type TurnAsRead, toTurn } from './reading/select.ts';

/**
 * Reads a queued turn and takes its first lease, in one statement; returns the turn as it was before. Undefined if a guard refused
 * or the turn has more than `most` bytes. `loadTurn` and `takeLease` then say which (R3, R27). What joined while it waited for the
 * row is read again (R29).
 */
export async function beginTurn(
  db: Db,
  turnId: string,
  runId: string,
  most = Number.MAX_SAFE_INTEGER,
): Promise<Turn | undefined> {
  const [row] = await write(db, { turnId, runId, most, eventId: newId('evt') });
  if (!row) return undefined;
  const { joinedCount, ...begun } = row;
  const turn = joinedCount === (row.joined?.length ?? 0) ? toTurn(begun) : await selectTurn(db, turnId, 'any');
  if (!turn) return undefined;
  const work = {
    ...turn.work,
    leaseOwner: null,
    leased: false,
    uncontended: false,
    starts: 0,
    edition: turn.work.edition - 1,
  };
  return { ...turn, status: 'queued', startedAt: null, lastEvent: turn.lastEvent - 1, work };
}

const write = writeFor<TurnAsRead & { joinedCount: number }>(
  sql`"runId" text, most bigint, "eventId" text`,
  (input) => sql`
    with ${input},
    leased as (
      update turns set lease_owner = "runId", lease_until = ${inMs(timing.leaseMs)}, due_at = ${inMs(timing.leaseMs)}, starts = 1,
        rescues = 0, edition = turns.edition + 1, started_at = now(), last_event = last_event + 1, status = 'in_progress',
        begun_with = inputs
      from input where turns.id = "turnId" and status = 'queued' and at_head and step = 'r1' and generation = 0 and starts = 0
        and lease_owner is null and (deadline_at is null or deadline_at > now()) and ${hasCome('retry_at')} and ${hasPlace}
        and octet_length(turns.input::text) + octet_length(config::text) + case when turns.inputs = 0 then 0 else (
          select sum(octet_length(content::text)) from inputs where turn_id = turns.id) end <= most
      returning turns.*, input.*
    ),
    event as (
      insert into events (turn_id, number, id, type) select id, last_event, "eventId", 'turn.started' from leased
    )
    select "turnId", ${requestColumns}, ${stateColumns}, null::json as rounds, null::json as calls,
      null::json as compactions, ${joinedOf(sql`leased`)}, leased.inputs as "joinedCount" from leased`,
);
