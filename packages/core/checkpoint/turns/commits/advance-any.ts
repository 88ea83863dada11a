import { type RawBuilder, sql } from 'kysely';
import { createDeliveries } from '../../sql/deliveries.ts';
import { dueNext, runsIf, triesIf } from '../../sql/fresh-step.ts';
import { hasSlot } from '../../sql/slot.ts';
import { delivers, wakeupColumns } from '../../sql/wakeup.ts';

/**
 * The part of the statement that advances any batch. If every open call waits for an external answer, the turn waits.
 * If such a call may run now, the turn continues (R15), with a slot (R27). Event numbers are assigned under the lock
 * of the row of work (R5).
 */
export const advanceAny = sql`
  state as (
    select *, open_now = 0 as is_complete, open_now > 0 and open_now = waiting_now as is_waiting,
      status = 'requires_action' as was_waiting
    from (
      select target.*, open_calls - completed as open_now, waiting_calls - unblocked as waiting_now, completed, written, done
      from target join (
        select turn_id, count(*) filter (where done) as completed, count(*) filter (where waited) as unblocked,
          array_agg(index order by index) as written, array_agg(index order by index) filter (where done) as done
        from answered group by turn_id
      ) as answers on turn_id = target.id
    ) as counted
  ),
  advanced as (
    update work set open_calls = open_now, waiting_calls = waiting_now,
      step = case when is_complete then 'r' || (round + 1) else work.step end,
      status = case when is_waiting then 'requires_action' else 'in_progress' end,
      due_at = case when is_complete or (was_waiting and not is_waiting) then ${dueNext}
        when is_waiting then least(coalesce(work.deadline_at, 'infinity'), (${nextExpiry()})) else work.due_at end,
      slot = case when work.slot is not null and is_waiting then 'none'
        when work.slot = 'none' and (is_complete or was_waiting) then 'wanted' else work.slot end,
      generation = case when is_complete then 0 when was_waiting and not is_waiting then work.generation + 1
        else work.generation end,
      ${runsIf(sql`is_complete`, sql`is_waiting`)}, ${triesIf(sql`is_complete`)}, rate_limited = false,
      waiting_since = case when is_complete or is_waiting <> was_waiting then now() else work.waiting_since end,
      last_event = work.last_event + completed + (is_waiting <> was_waiting)::int
    from state where work.id = state.id
    returning work.id, project, stored, provider, priority, work.step, work.generation, work.last_event, work.slot, inputs,
      work.lease_owner, is_complete, is_waiting, was_waiting, completed, written, done, round, "eventIds", case when is_waiting then (${webhookOf(sql`work.id`)}) end as webhook
  ),
  event as (
    insert into events (turn_id, number, id, type, round, call_index, data)
    select id, last_event - completed - (is_waiting <> was_waiting)::int + position, "eventIds" ->> (position - 1)::int,
      'tool_call.completed', round, index, null
    from advanced, unnest(done) with ordinality as call (index, position)
    union all
    select id, last_event, "eventIds" ->> -1, case when is_waiting then 'turn.requires_action' else 'turn.resumed' end,
      round, null, case when is_waiting then (${waitingCalls()}) end
    from advanced where is_waiting <> was_waiting
    returning turn_id, number, type
  ),
  delivery as (${createDeliveries(sql`advanced`, sql`webhook`)})
  select ${wakeupColumns}, case when is_complete then work.lease_owner end as "nextRun", (is_complete or (was_waiting and not is_waiting)) and ${hasSlot} as "isDue",
    ${delivers('work')},
    array_to_json(written) as written, inputs
  from advanced as work`;

function webhookOf(id: RawBuilder<unknown>) {
  return sql`select config -> 'webhook' from turns where turns.id = ${id}`;
}

function nextExpiry() {
  return sql`select min(call.expires_at) from ${stillWaiting(sql`state`)}`;
}

/** Selects the data of `turn.requires_action`: the indexes of the waiting calls, by the answer that they wait for. */
function waitingCalls() {
  return sql`select json_build_object(
      'outputs', coalesce(json_agg(call.index order by call.index) filter (where call.waits_for = 'output'), '[]'),
      'approvals', coalesce(json_agg(call.index order by call.index) filter (where call.waits_for = 'approval'), '[]'))
    from ${stillWaiting(sql`advanced`)}`;
}

/** Returns the relation of the calls in a turn's batch that wait, except calls that were just answered. */
function stillWaiting(turn: RawBuilder<unknown>) {
  return sql`tool_calls as call where call.turn_id = ${turn}.id and call.round = ${turn}.round
    and call.waits_for is not null and call.result is null
    and not exists (select from answered where turn_id = call.turn_id and answered.index = call.index and waited)`;
}
