import type { Db } from '#core/checkpoint/tables.ts';
import { listThread, type ThreadTurn } from '#core/checkpoint/turns/reading/history.ts';
import { RequestRefused } from '#core/failure.ts';
import { type ConversationItem, itemsOfTurn } from '#core/turn/responses/conversation-items.ts';
import { readItemId } from '#core/turn/responses/item-id.ts';
import type { Turn } from '#core/turn/turn.ts';
import { MOST_IMAGE_LENGTH } from '../images/fill-images.ts';
import { itemPage, itemsAfter, notInList } from '../item-page.ts';

type Direction = 'asc' | 'desc';

/** How a turn is shown: with its images, and with the sealed state of providers if the reader requested it. */
export type Show = (turn: Turn) => Promise<Turn>;

/**
 * Lists a page of a conversation's items, over all turns of the conversation. A page of large turns has fewer than
 * `limit` items. The item `after` may have been deleted, because its id shows its position.
 */
export async function listItems(
  db: Db,
  conversationId: string,
  { after, direction, limit, show }: { after: string | undefined; direction: Direction; limit: number; show: Show },
) {
  const cursor = after === undefined ? undefined : await findTurnOf(db, conversationId, after);
  if (after !== undefined && !cursor) throw notInList();
  const items = cursor ? await itemsBehind(cursor, { after, direction, show }) : [];
  let from = cursor && { turnId: cursor.turn.id, isIncluded: false };
  for (;;) {
    const { rows, hasMore } = await listThread(db, conversationId, { from, direction, limit });
    for (const row of rows) {
      items.push(...(await itemsBehind(row, { direction, show })));
      if (isFull(items, limit)) return itemPage(items, { limit, hasMore: hasMore || row !== rows.at(-1) });
    }
    const last = rows.at(-1);
    if (items.length > 0 || !hasMore || !last) return itemPage(items, { limit, hasMore });
    from = { turnId: last.turn.id, isIncluded: false };
  }
}

/** Returns whether a page has more than `limit` items, or large images. Further turns may be too large to load. */
function isFull(items: readonly ConversationItem[], limit: number): boolean {
  const lengths = items.map((item) => ('result' in item && typeof item.result === 'string' ? item.result.length : 0));
  return items.length > limit || lengths.reduce((sum, length) => sum + length, 0) > MOST_IMAGE_LENGTH;
}

/** Finds an item of a conversation. A deleted item, or an item of another conversation, is a 404. */
export async function findItem(
  db: Db,
  conversationId: string,
  { itemId, show }: { itemId: string; show: Show },
): Promise<ConversationItem> {
  const found = await findTurnOf(db, conversationId, itemId);
  const item = found && itemsOfTurn(await show(found.turn), found.deletedItems).find(({ id }) => id === itemId);
  if (item) return item;
  const message = 'Item not found in the conversation. Check both ids. Deleted items cannot be retrieved.';
  throw new RequestRefused(404, 'conversation_item_not_found', message, 'item_id');
}

/** Finds the turn in an item's id, if it is part of the conversation. */
async function findTurnOf(db: Db, conversationId: string, itemId: string): Promise<ThreadTurn | undefined> {
  const turnId = readItemId(itemId)?.turnId;
  if (turnId === undefined) return undefined;
  const from = { turnId, isIncluded: true };
  const { rows } = await listThread(db, conversationId, { from, direction: 'asc', limit: 1 });
  return rows.find(({ turn }) => turn.id === turnId);
}

/** Returns the items of a turn after an item, or from the first item. */
async function itemsBehind(
  { turn, deletedItems }: ThreadTurn,
  { after, direction, show }: { after?: string | undefined; direction: Direction; show: Show },
): Promise<ConversationItem[]> {
  const all = itemsOfTurn(await show(turn), []);
  const behind = itemsAfter(after, direction === 'asc' ? all : all.reverse());
  return behind.filter(({ id }) => !deletedItems.includes(id));
}
