import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { RecordedResult } from '../../../turn/forks/recorded-results.ts';
import type { Db } from '../../tables.ts';

/**
 * Loads the calls of a turn that had results when its rerun started, in their order. Leaves out calls that a retry
 * added since, and calls that were handed over (R38).
 */
export async function loadRecordedResults(
  db: Db,
  { turnId, rerunId }: { turnId: string; rerunId: string },
): Promise<RecordedResult[]> {
  const query = sql<RecordedResult>`
    select name, arguments, result, full_output as "fullOutput",
      case when approval -> 'arguments' is not null then approval end as approval
    from tool_calls
    where turn_id = ${turnId} and round > 0 and result ->> 'status' <> 'handed_over'
      and completed_at <= (select created_at from turns where id = ${rerunId})
    order by round, index`;
  return read(db, query);
}
