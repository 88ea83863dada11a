import { type RawBuilder, sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { ListedTurn } from '../../../turn/turn.ts';
import { listed } from '../../sql/listed.ts';
import { isAddedItems, isVisible } from '../../sql/visible.ts';
import type { Db } from '../../tables.ts';
import { type ListedAsRead, selectListed, toListed } from './select.ts';

/**
 * Finds the latest turn of each of these conversations, by conversation id. Leaves out conversations without a turn.
 */
export async function findLatestTurns(db: Db, conversationIds: string[]): Promise<Map<string, ListedTurn>> {
  if (conversationIds.length === 0) return new Map();
  const query = sql<ListedAsRead>`
    select ${selectListed} from (${listed(conversationIds)}) as asked (conversation)
    cross join lateral (${latestOf(sql`asked.conversation`)}) as turns`;
  const rows = await read(db, query);
  return new Map(rows.map((row) => [row.conversationId, toListed(row)]));
}

/**
 * Selects the last turn of a conversation, by the index of positions. Selects a delayed turn, which has no position
 * yet, only if there is no other.
 */
export function latestOf(conversationId: RawBuilder<unknown>): RawBuilder<unknown> {
  const shown = sql`turns.conversation_id = ${conversationId} and ${isVisible} and not ${isAddedItems}`;
  return sql`
    select * from (
      (select * from turn_states as turns where ${shown} and position is not null order by position desc limit 1)
      union all
      (select * from turn_states as turns where ${shown} and position is null order by id desc limit 1)) as turns
    order by position is null limit 1`;
}
