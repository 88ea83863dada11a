import { sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import type { Db } from '../tables.ts';
import { isAwaited } from './is-awaited.ts';
import { type LateAnswer, lateColumns, recordLate } from './save-answers.ts';

/**
 * Records the usage of stored answers that no round waits for any more as late usage, once, and removes them (R41).
 * Also removes old requests without a batch that no round waits for.
 */
export async function settleAnswers(db: Db, limit: number): Promise<LateAnswer[]> {
  const statement = sql<LateAnswer>`
    with over as materialized (
      select id from batch_requests where state = 'answered' and not ${isAwaited} limit ${limit} for update skip locked
    ),
    unclaimed as materialized (
      select id from batch_requests
      where batch_id is null and entered_at < now() - interval '1 hour' and not ${isAwaited}
      limit ${limit} for update skip locked
    ),
    gone as (
      delete from batch_requests where id in (select id from over union all select id from unclaimed)
      returning id, turn_id, project, key_id, model, usage, used, state
    ),
    ${recordLate}
    select ${lateColumns} from gone where state = 'answered'`;
  return await write(db, statement);
}
