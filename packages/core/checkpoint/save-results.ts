import { sql } from 'kysely';
import type { ToolResult } from '../turn/tool-result.ts';
import { type Answered, advanceBatch } from './advance-batch.ts';
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
export type NewResults = { turnId: string; round: number; results: NewResult[]; heldBy?: string | null | undefined };

/** Records results, in one statement, each on its own: the first write wins, and a loser changes nothing (R5, R10). */
export async function saveResults(db: Db, { turnId, round, results, heldBy = null }: NewResults): Promise<Answered> {
  return write(db, { turnId, round, heldBy, results }, results.length);
}

const write = advanceBatch({
  columns: sql`"heldBy" text, results json`,
  guard: sql`and ("heldBy" is null or (held_by = "heldBy" and held_until > now()))`,
  answered: sql`
      update tool_calls set result = known.result, full_output = known."fullOutput", cache_key = known."cacheKey",
        completed_at = now()
      from target, json_to_recordset(results) as known (index int, result json, "fullOutput" text, "cacheKey" text)
      where turn_id = target.id and tool_calls.round = target.round and tool_calls.index = known.index
        and tool_calls.result is null
      returning turn_id, tool_calls.index, waits_for is not null as waited, true as done`,
});
