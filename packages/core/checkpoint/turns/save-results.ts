import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { withoutNulls } from '../../postgres/row-set.ts';
import type { ToolResult } from '../../turn/tool-result.ts';
import type { ToolCall } from '../../turn/turn.ts';
import type { Db } from '../tables.ts';
import { type Answered, advanceBatch, isIndex } from './commits/advance-batch.ts';

/**
 * The result of a call before it is saved. `fullOutput` is stored only if the model gets a shortened output. Equal
 * calls of the conversation may reuse the result under `cacheKey`.
 */
export type NewResult = {
  call: Pick<ToolCall, 'index' | 'id' | 'arguments'>;
  result: ToolResult;
  fullOutput: string | null;
  cacheKey?: string | null;
};

/**
 * Results of a batch that are known at the same moment. `leaseOwner` marks negative results (`outcome_unknown`): only
 * the run with the lease may give up on a call (R5, R8).
 */
export type NewResults = {
  turnId: string;
  round: number;
  results: NewResult[];
  leaseOwner?: string | null | undefined;
  /**
   * True if a call of the batch waits, or has waited, for a client or a person. False if the run has loaded no such
   * call.
   */
  waits?: boolean;
  /** The run that continues with the next round, if these results complete the batch (R3). */
  nextRun?: string | null;
};

/**
 * Saves results in one statement. The first write of each call wins, and a later write has no effect (R5, R10). Nor
 * has the result of a call that differs from the stored call, as after a failover that lost commits. If a lean
 * statement writes no row, the full statement follows, since after such a failover a call may wait.
 */
export async function saveResults(
  db: Db,
  { turnId, round, results, leaseOwner = null, waits = true, nextRun = null }: NewResults,
): Promise<Answered> {
  const rows = results.map(({ call, ...known }) => withoutNulls({ ...known, index: call.index, call: nameOf(call) }));
  const batch = { turnId, round, leaseOwner, nextRun, results: rows };
  const saved = waits ? null : await writeRunning(db, batch, results.length);
  return saved && saved.written.length > 0 ? saved : await write(db, batch, results.length);
}

/** Returns a name for a call with its arguments, since a model may use an id again for other arguments. */
function nameOf({ id, arguments: args }: Pick<ToolCall, 'id' | 'arguments'>): string {
  return `${id} ${createHash('sha256').update(args).digest('hex')}`;
}

const nameOfCall = sql`tool_calls.id || ' ' || encode(sha256(convert_to(tool_calls.arguments, 'UTF8')), 'hex')`;

const answering = {
  columns: sql`"leaseOwner" text, results json`,
  guard: sql`and ("leaseOwner" is null or (lease_owner = "leaseOwner" and lease_until > now()))`,
  answered: sql`
      update tool_calls set result = known.result, full_output = known."fullOutput", cache_key = known."cacheKey",
        completed_at = now()
      from (
        select id, target.round, known.* from target,
          json_to_recordset(results) as known (index int, call text, result json, "fullOutput" text, "cacheKey" text)
        where ${isIndex(sql`known.index`)}
        -- so that each result is read once, and then looked up
        offset 0
      ) as known
      where turn_id = known.id and tool_calls.round = known.round and tool_calls.index = known.index
        and tool_calls.result is null and ${nameOfCall} = known.call
      returning turn_id, tool_calls.index, waits_for is not null as waited, true as done`,
};

const write = advanceBatch(answering);
const writeRunning = advanceBatch(answering, { isLean: true });
