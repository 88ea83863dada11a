import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { ToolResult } from '../../../turn/tool-result.ts';
import type { Db } from '../../tables.ts';

/**
 * Finds the whole output of a call. `result` is null while the call is open. Returns undefined if the call does not
 * exist.
 */
export async function findCallOutput(
  db: Db,
  turnId: string,
  callId: string,
): Promise<{ result: ToolResult | null; fullOutput: string | null } | undefined> {
  const query = sql<{ result: ToolResult | null; fullOutput: string | null }>`
    select result, full_output as "fullOutput" from tool_calls where turn_id = ${turnId} and id = ${callId}`;
  const rows = await read(db, query);
  return rows[0];
}

/** A call that may reuse a result that is at most `ttlSeconds` old. */
export type ReusableCall = { index: number; cacheKey: string; ttlSeconds: number };

export type ReusableOutput = { index: number; result: ToolResult; fullOutput: string | null };

/** Finds the newest results that these calls may reuse, of no deleted turn. The table of calls is the only cache. */
export async function findReusableOutputs(db: Db, calls: ReusableCall[]): Promise<ReusableOutput[]> {
  const query = sql<ReusableOutput>`
    select wanted.index, known.result, known.full_output as "fullOutput"
    from json_to_recordset(${calls}::json) as wanted (index int, "cacheKey" text, "ttlSeconds" int),
      lateral (
        select result, full_output from tool_calls
        where cache_key = wanted."cacheKey" and completed_at > now() - make_interval(secs => wanted."ttlSeconds")
          and not exists (select from turns where turns.id = turn_id and hidden_at is not null)
        order by completed_at desc limit 1
      ) as known`;
  const rows = await read(db, query);
  return rows;
}
