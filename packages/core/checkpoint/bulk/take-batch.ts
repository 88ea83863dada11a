import { type RawBuilder, sql } from 'kysely';
import { write } from '../../postgres/read-write.ts';
import { timing } from '../../turn/timing.ts';
import { inMs } from '../sql/due.ts';
import type { Db } from '../tables.ts';
import type { BulkAction } from './bulk.ts';

/** Unsettled turns of a bulk, for a worker to treat. */
export type BulkBatch = { bulkId: string; project: string; action: BulkAction; turnIds: string[] };

/**
 * Takes unsettled turns of the bulk that has been due for longest. Other workers skip that bulk for some seconds. A
 * later worker may treat the same turns, without harm (R34). A retry begins with the oldest turns. Other actions
 * begin with the newest, so that no turn becomes the head only to be cancelled. Returns null if no bulk is due.
 */
export async function takeBulkBatch(db: Db, limit: number): Promise<BulkBatch | null> {
  const statement = sql<BulkBatch>`
    with taken as (
      update bulks set due_at = ${inMs(timing.bulkLeaseMs)}
      where id = (select id from bulks where due_at <= now() order by due_at limit 1 for update skip locked)
      returning id, project, action
    )
    select id as "bulkId", project, action,
      case action when 'retry' then ${leftTurns('asc', limit)} else ${leftTurns('desc', limit)} end as "turnIds"
    from taken`;
  const [batch] = await write(db, statement);
  return batch ?? null;
}

function leftTurns(direction: 'asc' | 'desc', limit: number): RawBuilder<unknown> {
  return sql`(
        select coalesce(json_agg(turn_id), '[]') from (
          select turn_id from bulk_turns where bulk_id = taken.id and outcome is null
          order by turn_id ${sql.raw(direction)} limit ${limit}) as waiting)`;
}
