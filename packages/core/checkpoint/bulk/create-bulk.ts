import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../tables.ts';
import type { BulkAction } from './bulk.ts';

/** Turns that one bulk may have: as many are found and recorded within the time of one statement. */
export const MAX_BULK_TURNS = 1_000_000;

/** A bulk to be recorded; `matching` selects the ids of the turns that it means, `filter` the same as it was asked. */
export type NewBulk = {
  id: string;
  project: string;
  action: BulkAction;
  filter: Record<string, unknown>;
  matching: RawBuilder<unknown>;
};

/**
 * Records a bulk with the turns that match now, in one statement: those that come later are none of it (R34). Returns how many,
 * one more than there may be where they are too many: then the caller rolls back.
 */
export async function createBulk(trx: Trx, { id, project, action, filter, matching }: NewBulk): Promise<number> {
  const { rows } = await sql<{ matched: number }>`
    with meant as (
      insert into bulk_turns (bulk_id, turn_id)
      select ${id}, matching.id from (${matching}) as matching limit ${MAX_BULK_TURNS + 1}
      returning turn_id
    ),
    counted as (select count(*)::int as matched from meant)
    insert into bulks (id, project, action, filter, matched, stops_after, due_at, completed_at)
    select ${id}, ${project}, ${action}, ${filter}::json, matched,
      case when ${action} = 'cancel' and matched > 0 then '' end, case when matched > 0 then now() end, case when matched = 0 then now() end
    from counted
    returning matched`.execute(trx);
  return rows[0]?.matched ?? 0;
}
