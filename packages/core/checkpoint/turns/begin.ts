import { sql } from 'kysely';
import { newId } from '../../id.ts';
import { beforeLease } from '../../turn/predict.ts';
import type { Turn } from '../../turn/turn.ts';
import { hasCome } from '../sql/due.ts';
import { leaseFor } from '../sql/lease.ts';
import { hasSlot } from '../sql/slot.ts';
import { writeFor } from '../sql/statement.ts';
import type { Db } from '../tables.ts';
import { joinedOf, requestColumns, selectTurn, stateColumns, type TurnAsRead, toTurn } from './reading/select.ts';

/**
 * Reads a queued turn and takes its first lease, in one statement. Returns the turn as it was before, or undefined if
 * a guard refused or it has more than `most` bytes. `loadTurn` and `takeLease` then find the reason (R3, R27). Reads
 * the turn again if an input joined while the statement waited for the row (R29).
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
  return turn && beforeBegin(turn);
}

function beforeBegin(turn: Turn): Turn {
  return { ...turn, status: 'queued', startedAt: null, lastEvent: turn.lastEvent - 1, work: beforeLease(turn.work) };
}

/** The columns of an active turn that are not in its row of `work`, as in `turn_states`. */
const columnsOfTurn = sql`turns.config, turns.input, turns.metadata, turns.created_at, turns.start_at, turns.schedule_id, turns.continues,
        turns.trace, turns.output, turns.error, turns.incomplete_reason, turns.completed_at, turns.hidden_at`;

const write = writeFor<TurnAsRead & { joinedCount: number }>(
  sql`"runId" text, most bigint, "eventId" text`,
  (input) => sql`
    with ${input},
    begun as (
      update work set ${leaseFor(sql`"runId"`)}, starts = 1, draft = work.draft + 1, started_at = now(),
        last_event = work.last_event + 1, status = 'in_progress', inputs_at_start = work.inputs
      from input join turns on turns.id = "turnId"
      where work.id = "turnId" and work.status = 'queued' and at_head and work.step = 'r1' and work.generation = 0 and starts = 0
        and lease_owner is null and (work.deadline_at is null or work.deadline_at > now()) and ${hasCome('retry_at')} and ${hasSlot}
        and octet_length(turns.input::text) + octet_length(config::text) + case when work.inputs = 0 then 0 else (
          select sum(octet_length(content::text)) from inputs where turn_id = turns.id) end <= most
      returning work.*, ${columnsOfTurn}, "turnId", "eventId"
    ),
    event as (
      insert into events (turn_id, number, id, type) select id, last_event, "eventId", 'turn.started' from begun
    )
    select "turnId", ${requestColumns}, ${stateColumns}, null::json as rounds, null::json as calls,
      null::json as compactions, ${joinedOf(sql`turns`)}, turns.inputs as "joinedCount" from begun as turns`,
);
