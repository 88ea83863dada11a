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
    message: 'The turn ended while this call was running; whether it took effect is not known.',
    details: {},
  },
  { attempts: 1 },
);

/**
 * Answers the open calls of a turn in the transaction that ends it (R12). A call that is claimed may have taken effect.
 */
export const settleCalls = sql`
  update tool_calls set result = case when claimed_by is null then ${cancelled}::json else ${unknown}::json end,
    completed_at = now()
  from target where turn_id = target.id and result is null
  returning turn_id, round, index`;

/** The same for a turn that ends with a round: only a batch has open calls (a CHECK says so). */
export const noCalls = sql`select null::text as turn_id, null::int as round, null::int as index where false`;
