import { type RawBuilder, sql } from 'kysely';
import { newId } from '../../../id.ts';
import { timing } from '../../../turn/timing.ts';
import type { Wakeup } from '../../../turn/wakeup.ts';
import { createDeliveries } from '../../sql/deliveries.ts';
import { dueIn } from '../../sql/due.ts';
import { resetIf } from '../../sql/fresh-step.ts';
import { dueWithPlace, hasPlace } from '../../sql/place.ts';
import { writeFor } from '../../sql/statement.ts';
import { type DueRow, delivers, dueWakeups, wakeupColumns } from '../../sql/wakeup.ts';
import type { Db } from '../../tables.ts';

// The answers of a batch move its turn by the calls that are open afterwards:
//
//   none is open              the next round is due: step r(n+1), generation 0, tries and edition anew
//   some run, some may wait   the turn stays in progress; if it was waiting, its batch is due under a new generation
//   each open one waits       the turn requires action, and is due when the first call expires
//
// The full statement does each of the three. The lean statement is for batches of which no call waits, so the third
// cannot happen.

/**
 * The indexes of the calls that got their answers, and the wake-ups to enqueue. No index: the guard refused. `inputs` is
 * the number of inputs that had joined the turn by then (R29).
 */
export type Answered = { written: number[]; wakeups: Wakeup[]; inputs: number };

type AdvancedRow = DueRow & { written: number[]; inputs: number };

/** A batch with its answers, in the columns that the verb has named. */
type Batch = { turnId: string; round: number } & Record<string, unknown>;

/** The part of the statement that a verb answers calls with. `guard` is a further condition on the row of work. */
type Answering = { columns: RawBuilder<unknown>; guard?: RawBuilder<unknown>; answered: RawBuilder<unknown> };

/**
 * Makes the statement of a verb that answers calls of a batch, and advances the turn. `answered` is a CTE over `target`
 * (the locked rows of work with their `columns`). It returns `turn_id`, `index`, whether the call `waited` for an answer from
 * outside, and whether it is `done`, or only free to run now. Only the step decides whether the batch is still there (R5).
 */
export function advanceBatch({ columns, guard = sql``, answered }: Answering, { isLean = false } = {}) {
  const write = writeFor<AdvancedRow>(
    sql`round int, "eventIds" json, ${columns}`,
    (input) => sql`
    with ${input},
    target as materialized (
      select work.id, status, open_calls, waiting_calls, input.* from input join work on work.id = "turnId"
      where step = 'b' || round ${isLean ? sql`and waiting_calls = 0` : sql``} ${guard}
      for no key update of work
    ),
    answered as (${answered}),
    ${isLean ? advanceRunning : advanceAny}`,
  );
  return async (db: Db, batch: Batch, answers: number): Promise<Answered> => {
    const [row] = await write(db, { ...batch, eventIds: newEventIds(answers) });
    return { written: row?.written ?? [], wakeups: dueWakeups(row), inputs: row?.inputs ?? 0 };
  };
}

/**
 * Every index of an answer is one. Postgres expects a hundred rows of a function, and for so many it walks through all
 * calls of a table that it has not counted yet; the condition makes it expect one, so that it looks each call up by its
 * key.
 */
export function isIndex(index: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${index} between 0 and 2147483647`;
}

/** One for the event of each answer, and the last for what becomes of the turn. */
function newEventIds(answers: number): string[] {
  return Array.from({ length: answers + 1 }, () => newId('evt'));
}

/** The time at which the next step is due, if the turn has its place. */
const dueNow = dueWithPlace(dueIn(timing.graceMs));

/**
 * Advances batches of which no call waits: the last answer makes the next round due, any other leaves the lease alone
 * (R5).
 */
const advanceRunning = sql`
  counted as (
    select turn_id, count(*)::int as completed, array_agg(index order by index) as written from answered group by turn_id
  ),
  advanced as (
    update work set open_calls = target.open_calls - completed,
      step = case when target.open_calls = completed then 'r' || (round + 1) else work.step end,
      due_at = case when target.open_calls = completed then ${dueNow} else work.due_at end,
      place = case when work.place = 'none' and target.open_calls = completed then 'wanted' else work.place end,
      generation = case when target.open_calls = completed then 0 else work.generation end,
      ${resetIf('runs', sql`target.open_calls = completed`)}, ${resetIf('tries and edition', sql`target.open_calls = completed`)},
      rate_limited = false, waiting_since = case when target.open_calls = completed then now() else work.waiting_since end,
      last_event = work.last_event + completed
    from counted join target on target.id = turn_id where work.id = target.id
    returning work.id, provider, priority, work.step, generation, last_event, work.place, inputs, work.open_calls, completed, written, round,
      "eventIds"
  ),
  event as (
    insert into events (turn_id, number, id, type, round, call_index)
    select id, last_event - completed + position, "eventIds" ->> (position - 1)::int, 'tool_call.completed', round, index
    from advanced, unnest(written) with ordinality as call (index, position)
  )
  select ${wakeupColumns}, open_calls = 0 and ${hasPlace} as "isDue", false as delivers, array_to_json(written) as written, inputs
  from advanced as work`;

/**
 * Advances any batch. If every open call waits for an answer from outside, the turn waits; when one of those may run
 * now, it continues (R15), with a place (R27). Event numbers are taken under the lock of the row of work.
 */
const advanceAny = sql`
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
      due_at = case when is_complete or (was_waiting and not is_waiting) then ${dueNow}
        when is_waiting then least(coalesce(work.deadline_at, 'infinity'), (${nextExpiry()})) else work.due_at end,
      place = case when work.place is not null and is_waiting then 'none'
        when work.place = 'none' and (is_complete or was_waiting) then 'wanted' else work.place end,
      generation = case when is_complete then 0 when was_waiting and not is_waiting then work.generation + 1
        else work.generation end,
      ${resetIf('runs', sql`is_complete or is_waiting`)}, ${resetIf('tries and edition', sql`is_complete`)}, rate_limited = false,
      waiting_since = case when is_complete or is_waiting <> was_waiting then now() else work.waiting_since end,
      last_event = work.last_event + completed + (is_waiting <> was_waiting)::int
    from state where work.id = state.id
    returning work.id, project, stored, provider, priority, work.step, work.generation, work.last_event, work.place, inputs, is_complete, is_waiting,
      was_waiting, completed, written, done, round, "eventIds", case when is_waiting then (${webhookOf(sql`work.id`)}) end as webhook
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
    ${delivers('work')},
    array_to_json(written) as written, inputs
  from advanced as work`;

function webhookOf(id: RawBuilder<unknown>) {
  return sql`select config -> 'webhook' from turns where turns.id = ${id}`;
}

function nextExpiry() {
  return sql`select min(call.expires_at) from ${stillWaiting(sql`state`)}`;
}

/** The data of `turn.requires_action`: the indexes of the calls that waited, by what for. */
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
