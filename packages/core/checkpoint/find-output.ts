import { sql } from 'kysely';
import type { ToolResult } from '../turn/tool-result.ts';
import type { Db } from './database.ts';

/** What a call answered, uncut; undefined when there is no such call, `result` null while it is open. */
export async function findOutput(
  db: Db,
  turnId: string,
  callId: string,
): Promise<{ result: ToolResult | null; fullOutput: string | null } | undefined> {
  const { rows } = await sql<{ result: ToolResult | null; fullOutput: string | null }>`
    select result, full_output as "fullOutput" from tool_calls where turn_id = ${turnId} and id = ${callId}`.execute(
    db,
  );
  return rows[0];
}
