import type { Trx } from '#core/checkpoint/tables.ts';
import { deleteItems } from '#core/checkpoint/turns/items/delete-items.ts';
import { loadLine } from '#core/checkpoint/turns/reading/history.ts';
import { lockLine } from '#core/checkpoint/turns/reading/line.ts';
import { itemsOfApproval, otherHalf } from '#core/turn/responses/conversation-items.ts';
import { conversationNotFound } from '../../find-own.ts';
import { findItem, type Show } from './list-items.ts';

/** The item of a conversation that is to be deleted. */
type Deletion = { project: string; conversationId: string; itemId: string; show: Show };

/**
 * Deletes an item from a conversation, and with one half of a call and its result the other; so a request for approval goes
 * with its answer and the call that was run (contract-responses R27). What was forked from the conversation, or it from
 * another, loses it as well.
 */
export async function deleteItem(trx: Trx, deletion: Deletion): Promise<void> {
  const { project, conversationId, itemId, show } = deletion;
  if (!(await lockLine(trx, project, conversationId))) throw conversationNotFound();
  const item = await findItem(trx, conversationId, { itemId, show });
  const isOfCall = 'call_id' in item || item.type.startsWith('mcp_');
  const turns = isOfCall ? (await loadLine(trx, conversationId)).map(({ turn }) => turn) : [];
  const others = [otherHalf(turns, itemId) ?? itemId, ...itemsOfApproval(turns, itemId)];
  await deleteItems(trx, [...new Set([itemId, ...others])]);
}
