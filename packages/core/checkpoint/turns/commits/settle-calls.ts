import { sql } from 'kysely';
import { errorResult } from '../../../turn/tool-result.ts';

const cancelled = errorResult({
  category: 'cancelled',
  message: 'The turn ended before this call was answered. It may have been under way.',
  details: {},
});

const unknown = errorResult(
  {
    category: 'outcome_unknown',
    message: 'The turn ended while this call was running. It is unknown whether the call took effect.',
    details: {},
  },
  { attempts: 1 },
);

/** Answers the open calls of a turn in the transaction that ends it (R12). A claimed call may have taken effect. */
export const settleCalls = sql`
  update tool_calls set result = case when claimed_by is null then ${cancelled}::json else ${unknown}::json end,
    completed_at = now()
  from target where turn_id = target.id and result is null
  returning turn_id, round, index`;

/** The open calls of a turn that ends with a round: none, since only a batch has open calls (a CHECK ensures this). */
export const noCalls = sql`select null::text as turn_id, null::int as round, null::int as index where false`;
