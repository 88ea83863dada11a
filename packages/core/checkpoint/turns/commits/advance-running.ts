import { sql } from 'kysely';
import { dueNext, runsIf, triesIf } from '../../sql/fresh-step.ts';
import { hasPlace } from '../../sql/place.ts';
import { nextRun, wakeupColumns } from '../../sql/wakeup.ts';

/**
 * Advances batches of which no call waits: the last answer makes the next round due, any other leaves the lease alone
 * (R5).
 */
export const advanceRunning = sql`
  counted as (
    select turn_id, count(*)::int as completed, array_agg(index order by index) as written from answered group by turn_id
  ),
  advanced as (
    update work set open_calls = target.open_calls - completed,
      step = case when target.open_calls = completed then 'r' || (round + 1) else work.step end,
      due_at = case when target.open_calls = completed then ${dueNext} else work.due_at end,
      place = case when work.place = 'none' and target.open_calls = completed then 'wanted' else work.place end,
      generation = case when target.open_calls = completed then 0 else work.generation end,
      ${runsIf(sql`target.open_calls = completed`)}, ${triesIf(sql`target.open_calls = completed`)},
      rate_limited = false, waiting_since = case when target.open_calls = completed then now() else work.waiting_since end,
      last_event = work.last_event + completed
    from counted join target on target.id = turn_id where work.id = target.id
    returning work.id, provider, priority, work.step, generation, last_event, work.place, inputs, work.open_calls, lease_owner, completed, written, round, "eventIds"
  ),
  event as (
    insert into events (turn_id, number, id, type, round, call_index)
    select id, last_event - completed + position, "eventIds" ->> (position - 1)::int, 'tool_call.completed', round, index
    from advanced, unnest(written) with ordinality as call (index, position)
  )
  select ${wakeupColumns}, ${nextRun}, open_calls = 0 and ${hasPlace} as "isDue", false as delivers, array_to_json(written) as written, inputs
  from advanced as work`;
