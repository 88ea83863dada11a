import { sql } from 'kysely';
import { newId } from '../id.ts';
import type { TurnRing } from '../turn/ring.ts';
import { timing } from '../turn/timing.ts';
import type { ToolResult } from '../turn/tool-result.ts';
import { isActive } from './active.ts';
import type { Db } from './database.ts';
import { dueIn } from './due.ts';
import { ringColumns } from './ring-columns.ts';

/**
 * One call's answer, about to be committed. `fullOutput` is kept only where the model sees a cut one. `heldBy` marks a
 * negative answer (`outcome_unknown`): only the run that has the turn may give up on a call (R5, R8).
 */
export type NewResult = {
  turnId: string;
  round: number;
  index: number;
  result: ToolResult;
  fullOutput?: string | null;
  heldBy?: string;
};

/** What a save did: `written` is false for a loser; `ring` is what the turn owes once its batch is complete. */
export type Saved = { written: boolean; ring: TurnRing | null };

/**
 * Records a result the moment it is known; the first write wins (R5). Counting down the open calls under the turn's
 * row lock, the save that completes the batch makes the next round owed, and no other save touches the hold.
 */
export async function saveResult(db: Db, { turnId, round, index, result, ...rest }: NewResult): Promise<Saved> {
  const { rows } = await sql<TurnRing & { open_calls: number }>`
    with target as materialized (
      select id from turns where id = ${turnId} and ${isActive} and step = ${`b${round}`}
        ${rest.heldBy ? sql`and held_by = ${rest.heldBy} and held_until > now()` : sql``}
      for no key update
    ),
    call as (
      update tool_calls set result = ${result}::json, full_output = ${rest.fullOutput ?? null}::text from target
      where turn_id = target.id and round = ${round} and index = ${index} and result is null
      returning turn_id
    ),
    turns as (
      update turns set last_event = last_event + 1, open_calls = open_calls - 1,
        step = case when open_calls = 1 then ${`r${round + 1}`} else step end,
        due_at = case when open_calls = 1 then ${dueIn(timing.graceMs)} else due_at end,
        held_by = case when open_calls > 1 then held_by end,
        held_until = case when open_calls > 1 then held_until end,
        ring = case when open_calls = 1 then 0 else ring end,
        starts = case when open_calls = 1 then 0 else starts end,
        rescues = case when open_calls = 1 then 0 else rescues end,
        attempts = case when open_calls = 1 then 0 else attempts end
      from call where turns.id = call.turn_id
      returning turns.*
    ),
    event as (
      insert into events (turn_id, number, id, type, round, call_index)
      select id, last_event, ${newId('evt')}, 'tool_call.completed', ${round}::int, ${index}::int from turns
    )
    select ${ringColumns}, open_calls from turns`.execute(db);
  const [turn] = rows;
  return { written: turn !== undefined, ring: turn?.open_calls === 0 ? turn : null };
}
