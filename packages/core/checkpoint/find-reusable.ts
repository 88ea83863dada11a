import { sql } from 'kysely';
import type { ToolResult } from '../turn/tool-result.ts';
import type { Db } from './database.ts';

/** A call that an earlier answer may serve; its age is at most `ttlSeconds`. */
export type Reuse = { index: number; cacheKey: string; ttlSeconds: number };

export type Reusable = { index: number; result: ToolResult; fullOutput: string | null };

/** The newest answers that may serve these calls again. The ledger is the cache: nothing else is kept. */
export async function findReusable(db: Db, calls: Reuse[]): Promise<Reusable[]> {
  const { rows } = await sql<Reusable>`
    select wanted.index, known.result, known.full_output as "fullOutput"
    from json_to_recordset(${calls}::json) as wanted (index int, "cacheKey" text, "ttlSeconds" int),
      lateral (
        select result, full_output from tool_calls
        where cache_key = wanted."cacheKey" and completed_at > now() - make_interval(secs => wanted."ttlSeconds")
        order by completed_at desc limit 1
      ) as known`.execute(db);
  return rows;
}
