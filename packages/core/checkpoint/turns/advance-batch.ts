import { type RawBuilder, sql } from 'kysely';
import { newId } from '../../id.ts';
import { timing } from '../../turn/timing.ts';
import type { Wakeup } from '../../turn/wakeup.ts';
import { isActive } from '../sql/active.ts';
import { createDeliveries } from '../sql/deliveries.ts';
import { inMs } from '../sql/due.ts';
import { resetIf } from '../sql/fresh-step.ts';
import { dueWithPlace, hasPlace } from '../sql/place.ts';
import { writeFor } from '../sql/statement.ts';
import { type DueRow, delivers, dueWakeups, wakeupColumns } from '../sql/wakeup.ts';
import type { Db } from '../tables.ts';

/**
 * The indexes of the calls that got their answers, and what is due then; none: the guard refused. `inputs` is how many had joined
 * the turn by then (R29).
 */
export type Answered = { written: number[]; wakeups: Wakeup[]; inputs: number };

type AdvancedRow = DueRow & { written: number[]; inputs: number };

/** A batch with its answers, in the columns that the verb has named. */
type Batch = { turnId: string; round: number } & Record<string, unknown>;

/** How a verb answers calls. `guard`: what the turn has to be besides active and at this batch. */
type Answering = { columns: RawBuilder<unknown>; guard?: RawBuilder<unknown>; answered: RawBuilder<unknown> };

/**
 * Makes the statement of a verb that answers calls of a batch, and advances the turn. `answered` is a CTE over `target`
 * (the locked turns with their `columns`). It returns `turn_id`, `index`, whether the call `waited` for an answer from
 * outside, and whether it is `done`, or only free to run now.
 */
export function advanceBatch({ columns, guard = sql``, answered }: Answering) {
  const write = writeFor<AdvancedRow>(
    sql`round int, "eventIds" json, ${columns}`,
    (input) => sql`
    with ${input},
    target as materialized (
      select turns.id, status, open_calls, waiting_calls, deadline_at, input.* from input join turns on turns.id = "turnId"
      where ${isActive} and step = 'b' || round ${guard}
      for no key update of turns
    ),
    answered as (${answered}),
    ${advanceTurns}`,
  );
  return async (db: Db, batch: Batch, answers: number): Promise<Answered> => {
    const [row] = await write(db, { ...batch, eventIds: newEventIds(answers) });
    return { written: row?.written ?? [], wakeups: dueWakeups(row), inputs: row?.inputs ?? 0 };
  };
}

/**
 * Every index of an answer is one. Postgres expects a hundred rows of a function, and for so many it walks through all calls of a
 * table that it has not counted yet; the condition makes it expect one, so that it looks each call up by its key.
 */
export function isIndex(index: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${index} between 0 and 2147483647`;
}

/** One for the event of each answer, and the last for what becomes of the turn. */
function newEventIds(answers: number): string[] {
  return Array.from({ length: answers + 1 }, () => newId('evt'));
}

/**
 * The answer that completes the batch makes the next round due. When every open call waits for an answer from outside,
 * the turn waits; when one of those may run now, it goes on (R15), with a place (R27). Other answers leave the lease alone (R5). Event
 * numbers are taken under the turn's row lock.
 */
const advanceTurns = sql`
  counted as (
    select target.*, open_calls - completed as open_now, waiting_calls - unblocked as waiting_now, completed, written, done
    from target join (
      select turn_id, count(*) filter (where done) as completed, count(*) filter (where waited) as unblocked,
        array_agg(index order by index) as written, array_agg(index order by index) filter (where done) as done
      from answered group by turn_id
    ) as answers on turn_id = target.id
  ),
  state as (
    select *, open_now = 0 as is_complete, open_now > 0 and open_now = waiting_now as is_waiting,
      status = 'requires_action' as was_waiting
    from counted
  ),
  advanced as (
    update turns set open_calls = open_now, waiting_calls = waiting_now,
      step = case when is_complete then 'r' || (round + 1) else turns.step end,
      status = case when is_waiting then 'requires_action' else 'in_progress' end,
      due_at = case when is_complete or (was_waiting and not is_waiting) then ${dueWithPlace(sql`least(${inMs(timing.graceMs)}, ${deadline()})`)}
        when is_waiting then least(turns.deadline_at, coalesce((${nextExpiry()}), 'infinity')) else turns.due_at end,
      place = case when turns.place is not null and is_waiting then 'none'
        when turns.place = 'none' and (is_complete or was_waiting) then 'wanted' else turns.place end,
      generation = case when is_complete then 0 when was_waiting and not is_waiting then turns.generation + 1
        else turns.generation end,
      ${resetIf('runs', sql`is_complete or is_waiting`)}, ${resetIf('tries and edition', sql`is_complete`)}, rate_limited = false,
      waiting_since = case when is_complete or is_waiting <> was_waiting then now() else turns.waiting_since end,
      last_event = turns.last_event + completed + (is_waiting <> was_waiting)::int
    from state where turns.id = state.id
    returning turns.id, project, stored, provider, priority, turns.step, turns.generation, turns.last_event, turns.place, inputs, is_complete, is_waiting,
      was_waiting, completed, written, done, round, "eventIds", case when is_waiting then config -> 'webhook' end as webhook
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
  select ${wakeupColumns}, (is_complete or (was_waiting and not is_waiting)) and ${hasPlace} as "isDue",
    ${delivers('turns')},
    array_to_json(written) as written, inputs
  from advanced as turns`;

function deadline() {
  return sql`case when turns.deadline_at > now() then turns.deadline_at end`;
}

function nextExpiry() {
  return sql`select min(call.expires_at) from ${stillWaiting(sql`state`)}`;
}

/** What `turn.requires_action` keeps: the indexes of the calls that waited, by what for. */
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
