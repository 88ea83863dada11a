import { sql } from 'kysely';
import type { ToolResult } from '../../turn/tool-result.ts';
import type { Approval, WaitsFor } from '../../turn/turn.ts';
import type { Trx } from '../tables.ts';
import { type Answered, advanceBatch, isIndex } from './commits/advance-batch.ts';

/**
 * An external answer for a waiting call: its result, or permission to run (`result` is null). `waitsFor` is the
 * answer that the call still waits for, if any.
 */
export type ExternalAnswer = {
  index: number;
  result: ToolResult | null;
  fullOutput: string | null;
  waitsFor: WaitsFor | null;
  approval: Approval | null;
};

/**
 * Saves external answers, all or none (R15). The caller has locked the turn and found each call waiting. A decision
 * and the arguments that it allows are one value, written once (R39).
 */
export async function answerCalls(
  trx: Trx,
  { turnId, round, answers }: { turnId: string; round: number; answers: ExternalAnswer[] },
): Promise<Answered> {
  return await write(trx, { turnId, round, answers }, answers.length);
}

const write = advanceBatch({
  columns: sql`answers json`,
  answered: sql`
      update tool_calls set result = answer.result, full_output = answer."fullOutput",
        waits_for = case when answer.result is null then answer."waitsFor" else waits_for end,
        completed_at = case when answer.result is not null then now() end,
        approval = coalesce(answer.approval, tool_calls.approval)
      from target, json_to_recordset(answers)
        as answer (index int, result json, "fullOutput" text, "waitsFor" text, approval json)
      where ${isIndex(sql`answer.index`)} and turn_id = target.id and tool_calls.round = target.round and tool_calls.index = answer.index
        and tool_calls.result is null and waits_for is not null
        and (answer.approval is null or tool_calls.approval is null)
      returning turn_id, tool_calls.index, answer.result is not null or answer."waitsFor" is null as waited,
        answer.result is not null as done`,
});
