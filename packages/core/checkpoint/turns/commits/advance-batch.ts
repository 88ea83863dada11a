import { type RawBuilder, sql } from 'kysely';
import { newId } from '../../../id.ts';
import type { Wakeup } from '../../../turn/wakeup.ts';
import { dueNext, nextRunColumn, runsIf, triesIf } from '../../sql/fresh-step.ts';
import { hasSlot } from '../../sql/slot.ts';
import { writeFor } from '../../sql/statement.ts';
import { type DueRow, dueWakeups, nextRun, wakeupColumns } from '../../sql/wakeup.ts';
import type { Db } from '../../tables.ts';
import { advanceAny } from './advance-any.ts';

// The answers of a batch move its turn, depending on the calls that are open afterwards:
//
//   no call is open           the next round is due: step r(n+1), generation 0, attempts and draft number begin again
//   some run, some may wait   the turn stays in progress. If it was waiting, its batch is due under a new generation
//   all open calls wait       the turn requires action, and is due when the first call expires
//
// The full statement does each of the three. The lean statement is for batches without waiting calls, so the third
// cannot happen (R15).

/**
 * The indexes of the answered calls, and the wakeups to enqueue. Without an index, the guard refused. `inputs` is the
 * number of inputs that had joined the turn (R29).
 */
export type Answered = { written: number[]; wakeups: Wakeup[]; inputs: number };

type AdvancedRow = DueRow & { written: number[]; inputs: number };

/** A batch with its answers, in the columns of its verb. */
type Batch = { turnId: string; round: number } & Record<string, unknown>;

/** The part of the statement that answers the calls. `guard` is a further condition on the row of work. */
type Answering = { columns: RawBuilder<unknown>; guard?: RawBuilder<unknown>; answered: RawBuilder<unknown> };

/**
 * Creates the statement of a verb that answers calls of a batch, and advances the turn. `answered` is a CTE over
 * `target`, the locked rows of work with their `columns`. It returns `turn_id`, `index`, whether the call `waited`
 * for an external answer, and whether it is `done` or only free to run now. Only the step decides whether the batch
 * is current (R5).
 */
export function advanceBatch({ columns, guard = sql``, answered }: Answering, { isLean = false } = {}) {
  const write = writeFor<AdvancedRow>(
    sql`round int, "eventIds" json, ${nextRunColumn}, ${columns}`,
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
    const [row] = await write(db, { nextRun: null, ...batch, eventIds: newEventIds(answers) });
    return { written: row?.written ?? [], wakeups: dueWakeups(row), inputs: row?.inputs ?? 0 };
  };
}

/**
 * The part of the statement that advances batches without waiting calls. The last answer makes the next round due,
 * and any other answer leaves the lease unchanged (R5).
 */
const advanceRunning = sql`
  counted as (
    select turn_id, count(*)::int as completed, array_agg(index order by index) as written from answered group by turn_id
  ),
  advanced as (
    update work set open_calls = target.open_calls - completed,
      step = case when target.open_calls = completed then 'r' || (round + 1) else work.step end,
      due_at = case when target.open_calls = completed then ${dueNext} else work.due_at end,
      slot = case when work.slot = 'none' and target.open_calls = completed then 'wanted' else work.slot end,
      generation = case when target.open_calls = completed then 0 else work.generation end,
      ${runsIf(sql`target.open_calls = completed`)}, ${triesIf(sql`target.open_calls = completed`)},
      rate_limited = false, waiting_since = case when target.open_calls = completed then now() else work.waiting_since end,
      last_event = work.last_event + completed
    from counted join target on target.id = turn_id where work.id = target.id
    returning work.id, provider, priority, work.step, generation, last_event, work.slot, inputs, work.open_calls, lease_owner, completed, written, round, "eventIds"
  ),
  event as (
    insert into events (turn_id, number, id, type, round, call_index)
    select id, last_event - completed + position, "eventIds" ->> (position - 1)::int, 'tool_call.completed', round, index
    from advanced, unnest(written) with ordinality as call (index, position)
  )
  select ${wakeupColumns}, ${nextRun}, open_calls = 0 and ${hasSlot} as "isDue", false as delivers, array_to_json(written) as written, inputs
  from advanced as work`;

/**
 * Returns a condition that every index of an answer fulfils. PostgreSQL expects a hundred rows of a function, and
 * then walks through all calls of a table without statistics. The condition makes it expect one row, and look up each
 * call by its key.
 */
export function isIndex(index: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${index} between 0 and 2147483647`;
}

/** Returns an id for the event of each answer, and a last id for the event of the turn. */
function newEventIds(answers: number): string[] {
  return Array.from({ length: answers + 1 }, () => newId('evt'));
}
