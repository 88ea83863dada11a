import { deleteItems } from '#core/checkpoint/deletion/delete-items.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import { listThread } from '#core/checkpoint/turns/reading/history.ts';
import { lockConversation } from '#core/checkpoint/turns/reading/thread.ts';
import { itemsOfApproval, otherHalf } from '#core/turn/responses/conversation-items.ts';
import type { Turn } from '#core/turn/turn.ts';
import { conversationNotFound } from '../../../http/find-own.ts';
import { findItem, type Show } from './list-items.ts';

/** The item of a conversation to delete. */
type Deletion = { project: string; conversationId: string; itemId: string; show: Show };

/**
 * Deletes an item from a conversation. A call and its result are deleted together, and so are an approval request,
 * its answer and the call. Forks, and the origin of a fork, lose the item as well.
 */
export async function deleteItem(trx: Trx, deletion: Deletion): Promise<void> {
  const { project, conversationId, itemId, show } = deletion;
  if (!(await lockConversation(trx, project, conversationId))) throw conversationNotFound();
  const item = await findItem(trx, conversationId, { itemId, show });
  const isOfCall = 'call_id' in item || item.type.startsWith('mcp_');
  const turns = isOfCall ? await loadWithoutTexts(trx, conversationId) : [];
  const others = [otherHalf(turns, itemId) ?? itemId, ...itemsOfApproval(turns, itemId)];
  await deleteItems(trx, [...new Set([itemId, ...others])]);
}

const TURNS = 100;

/** Reads all turns that a model is sent, page by page. Only the ids of items are needed, so no page stays in memory. */
async function loadWithoutTexts(trx: Trx, conversationId: string): Promise<Turn[]> {
  const turns: Turn[] = [];
  for (let hasMore = true; hasMore; ) {
    const last = turns.at(-1);
    const from = last && { turnId: last.id, isIncluded: false };
    const page = await listThread(trx, conversationId, { from, direction: 'asc', limit: TURNS, view: 'kept' });
    turns.push(...page.rows.map(({ turn }) => withoutTexts(turn)));
    hasMore = page.hasMore;
  }
  return turns;
}

const LONGEST_ID = 1_000;

function withoutTexts(turn: Turn): Turn {
  const isText = (value: unknown) => typeof value === 'string' && value.length > LONGEST_ID;
  return JSON.parse(JSON.stringify(turn, (_, value: unknown) => (isText(value) ? '' : value))) as Turn;
}
