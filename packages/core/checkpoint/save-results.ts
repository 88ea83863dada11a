import { sql } from 'kysely';
import type { ToolResult } from '../turn/tool-result.ts';
import { isActive } from './active.ts';
import { type AdvancedRow, type Answered, advanceBatch, answeredOf } from './advance-batch.ts';
import type { Db } from './database.ts';

/**
 * One call's answer, about to be committed. `fullOutput` is kept only where the model sees a cut one; under `cacheKey` the
 * answer may serve equal calls of the conversation.
 */
export type NewResult = { index: number; result: ToolResult; fullOutput: string | null; cacheKey?: string | null };

/**
 * Results of one batch that are known at the same moment. `heldBy` marks negative answers (`outcome_unknown`): only the
 * run that has the turn may give up on a call (R5, R8).
 */
export type NewResults = { turnId: string; round: number; results: NewResult[]; heldBy?: string | undefined };

/** Records results, in one statement, each on its own: the first write wins, and a loser changes nothing (R5, R10). */
export async function saveResults(db: Db, { turnId, round, results, heldBy }: NewResults): Promise<Answered> {
  const { rows } = await sql<AdvancedRow>`
    with target as materialized (
      select id, status, open_calls, waiting_calls, deadline_at from turns
      where id = ${turnId} and ${isActive} and step = ${`b${round}`}
        ${heldBy ? sql`and held_by = ${heldBy} and held_until > now()` : sql``}
      for no key update
    ),
    answered as (
      update tool_calls set result = known.result, full_output = known."fullOutput", cache_key = known."cacheKey",
        completed_at = now()
      from target, json_to_recordset(${results}::json) as known (index int, result json, "fullOutput" text, "cacheKey" text)
      where turn_id = target.id and round = ${round} and tool_calls.index = known.index and tool_calls.result is null
      returning tool_calls.index, waits_for is not null as waited, true as done
    ),
    ${advanceBatch(round, results.length)}`.execute(db);
  return answeredOf(rows);
}
