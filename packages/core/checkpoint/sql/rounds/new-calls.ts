import { type RawBuilder, sql } from 'kysely';
import type { RequestedCall } from '../../../turn/message.ts';
import type { ToolEffect } from '../../../turn/request/tool.ts';
import type { ToolResult } from '../../../turn/tool-result.ts';
import type { Approval, WaitsFor } from '../../../turn/turn.ts';

/**
 * A call of a reply. If `waitsFor` is null, it runs at once. If `expiresInSeconds` is null, it waits without a time
 * limit. A call with a `result` is answered with its round: it was handed over, or another turn has its result (R38).
 */
export type NewCall = RequestedCall & {
  effect: ToolEffect;
  waitsFor: WaitsFor | null;
  expiresInSeconds: number | null;
  result?: ToolResult | null;
  /** The whole output of that result, if it was shortened. */
  fullOutput?: string | null;
  /** The decision that allowed other arguments, which led to that result. */
  approval?: Approval | null;
};

/**
 * Inserts the calls of replies. `turn` is the CTE of the turns with their `calls`. `round` is its column with the
 * number of the round that asks for them.
 */
export function insertCalls(turn: RawBuilder<unknown>, round: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
      insert into tool_calls (turn_id, round, index, id, name, arguments, effect, waits_for, expires_at, approval, result, full_output,
        completed_at)
      select turn.id, ${round}, call.ordinality - 1, call.id, call.name, call.arguments, call.effect, call.waits_for,
        case when call.waits_for is not null then now() + make_interval(secs => call.expires_in) end,
        call.approval, call.result, call.full_output, case when call.result is not null then now() end
      from ${turn} as turn, rows from (json_to_recordset(turn.calls)
          as (id text, name text, arguments text, effect text, "waitsFor" text, "expiresInSeconds" int, approval json, result json, "fullOutput" text))
        with ordinality as call (id, name, arguments, effect, waits_for, expires_in, approval, result, full_output, ordinality)`;
}

/** Inserts calls that run at once, in the same way: no call waits, and no call has a result. */
export function insertRunningCalls(turn: RawBuilder<unknown>, round: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
      insert into tool_calls (turn_id, round, index, id, name, arguments, effect)
      select turn.id, ${round}, call.ordinality - 1, call.id, call.name, call.arguments, call.effect
      from ${turn} as turn, rows from (json_to_recordset(turn.calls) as (id text, name text, arguments text, effect text))
        with ordinality as call (id, name, arguments, effect, ordinality)`;
}
