import { type RawBuilder, sql } from 'kysely';
import { newId } from '../id.ts';
import type { Ring } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import { isActive } from './active.ts';
import type { Db } from './database.ts';
import { inMs } from './due.ts';
import { oweDeliveries } from './owe-deliveries.ts';
import { type OwedRow, owedOf } from './owed-of.ts';
import { ringColumns } from './ring-columns.ts';
import { statementFor } from './row-set.ts';

/** Calls that got their answers, by their place in the batch, and what is owed then. None: the guard refused. */
export type Answered = { written: number[]; rings: Ring[] };

type AdvancedRow = OwedRow & { written: number[] };

/** A batch with its answers, in the columns that a verb asks for them in. */
type Batch = { turnId: string; round: number } & Record<string, unknown>;

/** What a verb answers calls by: `guard` says what the turn has to be besides active and at this batch. */
type Answering = { columns: RawBuilder<unknown>; guard?: RawBuilder<unknown>; answered: RawBuilder<unknown> };

/**
 * What a verb that answers so many calls of a batch writes: `answered`, a CTE behind `target` (the locked turns with their
 * `columns`) that returns `turn_id`, `index`, and whether the call `waited` for somebody and is `done`, or only free to run
 * now; and what follows from that.
 */
export function advanceBatch({ columns, guard = sql``, answered }: Answering) {
  const write = statementFor<AdvancedRow>(
    sql`round int, "eventIds" json, ${columns}`,
    (asked) => sql`
    with ${asked},
    target as materialized (
      select turns.id, status, open_calls, waiting_calls, deadline_at, asked.* from asked join turns on turns.id = "turnId"
      where ${isActive} and step = 'b' || round ${guard}
      for no key update of turns
    ),
    answered as (${answered}),
    ${whatFollows}`,
  );
  return async (db: Db, batch: Batch, answers: number): Promise<Answered> => {
    const [row] = await write(db, { ...batch, eventIds: newEventIds(answers) });
    return { written: row?.written ?? [], rings: owedOf(row) };
  };
}

/** One for the event of each answer, and the last for what becomes of the turn. */
function newEventIds(answers: number): string[] {
  return Array.from({ length: answers + 1 }, () => newId('evt'));
}

/**
 * The answer that completes the batch makes the next round owed; when all that is open waits for somebody, the turn parks;
 * when one of those may run now, it goes on (R15). No other answer touches the hold (R5). Event numbers are taken under the
 * turn's row lock.
 */
const whatFollows = sql`
  counted as (
    select target.*, open_calls - told as open_now, waiting_calls - heard as waiting_now, told
    from target join (
      select turn_id, count(*) filter (where done) as told, count(*) filter (where waited) as heard
      from answered group by turn_id
    ) as answers on turn_id = target.id
  ),
  state as (
    select *, open_now = 0 as is_complete, open_now > 0 and open_now = waiting_now as is_parked,
      status = 'requires_action' as was_parked
    from counted
  ),
  advanced as (
    update turns set open_calls = open_now, waiting_calls = waiting_now,
      step = case when is_complete then 'r' || (round + 1) else turns.step end,
      status = case when is_parked then 'requires_action' else 'in_progress' end,
      due_at = case when is_complete or (was_parked and not is_parked) then least(${inMs(timing.graceMs)}, ${deadline()})
        when is_parked then least(turns.deadline_at, coalesce((${nextExpiry()}), 'infinity')) else turns.due_at end,
      held_by = case when not is_complete and not is_parked then turns.held_by end,
      held_until = case when not is_complete and not is_parked then turns.held_until end,
      rate_limited = false, waits_since = case when is_complete or is_parked <> was_parked then now() else turns.waits_since end,
      ring = case when is_complete then 0 when was_parked and not is_parked then turns.ring + 1 else turns.ring end,
      starts = case when is_complete or is_parked then 0 else turns.starts end,
      rescues = case when is_complete or is_parked then 0 else turns.rescues end,
      attempts = case when is_complete then 0 else turns.attempts end,
      last_event = turns.last_event + told + (is_parked <> was_parked)::int
    from state where turns.id = state.id
    returning turns.id, project, provider, priority, turns.step, turns.ring, turns.last_event, is_complete, is_parked,
      was_parked, told, round, "eventIds", case when is_parked then config -> 'webhook' end as webhook
  ),
  event as (
    insert into events (turn_id, number, id, type, round, call_index, data)
    select id, last_event - told - (is_parked <> was_parked)::int + place, "eventIds" ->> (place - 1)::int,
      'tool_call.completed', round, index, null
    from advanced join (
      select turn_id, index, row_number() over (partition by turn_id order by index) as place from answered where done
    ) as done on done.turn_id = advanced.id
    union all
    select id, last_event, "eventIds" ->> -1, case when is_parked then 'turn.requires_action' else 'turn.resumed' end,
      round, null, case when is_parked then (${waitingCalls()}) end
    from advanced where is_parked <> was_parked
    returning turn_id, number, type
  ),
  delivery as (${oweDeliveries(sql`advanced`, sql`webhook`)})
  select ${ringColumns}, is_complete or (was_parked and not is_parked) as "isOwed",
    (select json_agg(id) from delivery where turn_id = turns.id) as "deliveryIds",
    (select json_agg(index) from answered where turn_id = turns.id) as written
  from advanced as turns`;

function deadline() {
  return sql`case when turns.deadline_at > now() then turns.deadline_at end`;
}

function nextExpiry() {
  return sql`select min(call.expires_at) from ${stillWaiting(sql`state`)}`;
}

/** What `turn.requires_action` keeps: which calls waited for what, by their place in the batch. */
function waitingCalls() {
  return sql`select json_build_object(
      'outputs', coalesce(json_agg(call.index order by call.index) filter (where call.waits_for = 'output'), '[]'),
      'approvals', coalesce(json_agg(call.index order by call.index) filter (where call.waits_for = 'approval'), '[]'))
    from ${stillWaiting(sql`advanced`)}`;
}

/** The calls of a turn's batch that wait, but for those just answered. */
function stillWaiting(turn: RawBuilder<unknown>) {
  return sql`tool_calls as call where call.turn_id = ${turn}.id and call.round = ${turn}.round
    and call.waits_for is not null and call.result is null
    and not exists (select from answered where turn_id = call.turn_id and answered.index = call.index and waited)`;
}
