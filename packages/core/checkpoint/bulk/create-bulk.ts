import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../tables.ts';
import type { BulkAction } from './bulk.ts';

/** The maximum of turns in a bulk. One statement finds and records that many within its time limit. */
export const MAX_BULK_TURNS = 1_000_000;

/** A bulk to record. `matching` selects the ids of its turns, and `filter` is the request for them. */
export type NewBulk = {
  id: string;
  project: string;
  action: BulkAction;
  filter: Record<string, unknown>;
  matching: RawBuilder<unknown>;
};

/**
 * Records a bulk with the turns that match now, in one statement. Later turns do not belong to the bulk (R34).
 * Returns the number of turns. If it exceeds `MAX_BULK_TURNS`, the caller rolls back.
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
