import { sql } from 'kysely';
import { readItemId } from '../../turn/responses/item-id.ts';
import { isTurnId } from '../sql/statement.ts';
import type { Trx } from '../tables.ts';
import { forgetSummaries } from './forget-summaries.ts';

/**
 * Deletes items from all conversations: no later history or list of items contains them. The turns keep them as input
 * and output.
 */
export async function deleteItems(trx: Trx, itemIds: string[]): Promise<void> {
  const named = itemIds.map((itemId) => ({ turnId: readItemId(itemId)?.turnId, itemId }));
  await sql`
    with input as (
      select "turnId", json_agg("itemId") as deleted
      from json_to_recordset(${named}::json) as item ("turnId" text, "itemId" text)
      where ${isTurnId(sql`"turnId"`)} group by "turnId"
    ),
    target as materialized (
      select id, deleted_items, deleted from turns join input on id = "turnId" order by id for no key update of turns
    )
    update turns set deleted_items = (
        select json_agg(item) from (
          select json_array_elements_text(coalesce(target.deleted_items, '[]')) as item
          union select json_array_elements_text(deleted)
        ) as item)
    from target where turns.id = target.id`.execute(trx);
  await forgetSummaries(
    trx,
    sql`id in (select "turnId" from json_to_recordset(${named}::json) as item ("turnId" text)
      where ${isTurnId(sql`"turnId"`)})`,
  );
}
