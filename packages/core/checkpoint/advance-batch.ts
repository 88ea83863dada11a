import { type RawBuilder, sql } from 'kysely';
import { newId } from '../id.ts';
import type { Ring } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import { inMs } from './due.ts';
import { oweDeliveries } from './owe-deliveries.ts';
import { type OwedRow, owedOf } from './owed-of.ts';
import { ringColumns } from './ring-columns.ts';

/** What advancing a batch answers: the turn's ring, what is owed, the calls that were written. */
export type AdvancedRow = OwedRow & { written: number[] };

/** Calls that got their answers, by their place in the batch, and what is owed then. No row: the guard refused. */
export type Answered = { written: number[]; rings: Ring[] };

/** Reads what an advanced batch answered. */
export function answeredOf(rows: AdvancedRow[]): Answered {
  return { written: rows[0]?.written ?? [], rings: owedOf(rows[0]) };
}

/**
 * What follows when calls of a batch got their answers: the CTEs behind `target` (the locked turn) and `answered`
 * (`index`, and whether the call `waited` for somebody and is `done`, or only free to run now). The answer that completes
 * the batch makes the next round owed; when all that is open waits for somebody, the turn parks; when one of those may
 * run now, it goes on (R15). No other answer touches the hold (R5). Event numbers are taken under the turn's row lock.
 */
export function advanceBatch(round: number, answers: number): RawBuilder<unknown> {
  return sql`
    counted as (
      select target.*, open_calls - count(*) filter (where done) as open_now,
        waiting_calls - count(*) filter (where waited) as waiting_now, count(*) filter (where done) as told
      from target, answered group by ${targetColumns}
    ),
    state as (
      select *, open_now = 0 as is_complete, open_now > 0 and open_now = waiting_now as is_parked,
        status = 'requires_action' as was_parked
      from counted
    ),
    turns as (
      update turns set open_calls = open_now, waiting_calls = waiting_now,
        step = case when is_complete then ${`r${round + 1}`} else turns.step end,
        status = case when is_parked then 'requires_action' else 'in_progress' end,
        due_at = case when is_complete or (was_parked and not is_parked) then least(${inMs(timing.graceMs)}, ${deadline})
          when is_parked then least(turns.deadline_at, coalesce((${nextExpiry(round)}), 'infinity')) else turns.due_at end,
        held_by = case when not is_complete and not is_parked then turns.held_by end,
        held_until = case when not is_complete and not is_parked then turns.held_until end,
        ring = case when is_complete then 0 when was_parked and not is_parked then turns.ring + 1 else turns.ring end,
        starts = case when is_complete or is_parked then 0 else turns.starts end,
        rescues = case when is_complete or is_parked then 0 else turns.rescues end,
        attempts = case when is_complete then 0 else turns.attempts end,
        last_event = turns.last_event + told + (is_parked <> was_parked)::int
      from state where turns.id = state.id
      returning turns.*, is_complete, is_parked, was_parked, told
    ),
    event as (
      insert into events (turn_id, number, id, type, round, call_index, data)
      select id, last_event - told - (is_parked <> was_parked)::int + place, ${newIds(answers)}::json ->> (place - 1)::int,
        'tool_call.completed', ${round}::int, index, null
      from turns, (select index, row_number() over (order by index) as place from answered where done) as done
      union all
      select id, last_event, ${newId('evt')}, case when is_parked then 'turn.requires_action' else 'turn.resumed' end,
        ${round}::int, null, case when is_parked then (${waitingCalls(round)}) end
      from turns where is_parked <> was_parked
      returning turn_id, number, type
    ),
    delivery as (${oweDeliveries(sql`turns`, sql`config -> 'webhook'`)})
    select ${ringColumns}, is_complete or (was_parked and not is_parked) as "isOwed",
      (select json_agg(id) from delivery) as "deliveryIds", (select json_agg(index) from answered) as written
    from turns`;
}

const targetColumns = sql`id, status, open_calls, waiting_calls, deadline_at`;

const deadline = sql`case when turns.deadline_at > now() then turns.deadline_at end`;

function newIds(count: number): string[] {
  return Array.from({ length: count }, () => newId('evt'));
}

/** The calls of the batch that wait, but for those just answered. */
function stillWaiting(round: number) {
  return sql`tool_calls as call where call.turn_id = turns.id and call.round = ${round} and call.waits_for is not null
    and call.result is null and call.index not in (select index from answered where waited)`;
}

function nextExpiry(round: number) {
  return sql`select min(call.expires_at) from ${stillWaiting(round)}`;
}

/** What `turn.requires_action` keeps: which calls waited for what, by their place in the batch. */
function waitingCalls(round: number) {
  return sql`select json_build_object(
      'outputs', coalesce(json_agg(call.index order by call.index) filter (where call.waits_for = 'output'), '[]'),
      'approvals', coalesce(json_agg(call.index order by call.index) filter (where call.waits_for = 'approval'), '[]'))
    from ${stillWaiting(round)}`;
}
