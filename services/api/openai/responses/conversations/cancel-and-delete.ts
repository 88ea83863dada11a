import { deleteConversation } from '#core/checkpoint/deletion/delete-conversation.ts';
import { hideConversation } from '#core/checkpoint/deletion/hide.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import { endTurn } from '#core/checkpoint/turns/end.ts';
import { findActiveTurns, findDelayedTurns } from '#core/checkpoint/turns/reading/find.ts';
import { lockLine } from '#core/checkpoint/turns/reading/line.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import { conversationNotFound } from '../../../http/find-own.ts';

/** What is left to do once a delete is committed: the wake-ups to enqueue, the turns that were cancelled first. */
type Deleted = { wakeups: Wakeup[]; ended: string[] };

/**
 * Deletes a conversation with its turns; those that are active are cancelled first, the last one before the others. Then the
 * conversation is hidden only, and erased soon: those who wait for one of them are told how it ended.
 */
export async function cancelAndDelete(trx: Trx, project: string, conversationId: string): Promise<Deleted> {
  if (!(await lockLine(trx, project, conversationId))) throw conversationNotFound();
  const inLine = await findActiveTurns(trx, conversationId);
  const active = [...inLine, ...(await findDelayedTurns(trx, conversationId))].reverse();
  const wakeups: Wakeup[] = [];
  for (const turnId of active) {
    wakeups.push(...((await endTurn(trx, { turnId, conversationId, status: 'cancelled' })) ?? []));
  }
  if (active.length > 0) await hideConversation(trx, conversationId);
  else await deleteConversation(trx, project, conversationId);
  return { wakeups, ended: active };
}
