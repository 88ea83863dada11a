import { type RawBuilder, sql } from 'kysely';
import type { Wakeup } from '../../turn/wakeup.ts';
import { listed } from '../sql/listed.ts';
import { isAddedItems, isVisible } from '../sql/visible.ts';
import type { Trx } from '../tables.ts';
import { endTurn } from '../turns/end.ts';
import { lockConversation } from '../turns/lock.ts';
import { BEHIND_ALL } from '../turns/reading/select.ts';
import { forgetSummaries } from './forget-summaries.ts';

/**
 * The result of hiding a turn, for after the commit: the wakeups to enqueue, and whether the turn was cancelled
 * first.
 */
export type Hidden = { wakeups: Wakeup[]; wasActive: boolean };

/**
 * Hides a turn from callers, and cancels it first if it is active. Dependants keep it as history. Otherwise
 * `eraseHidden` erases it. Returns null if callers find no such turn, so also for a second delete.
 */
export async function hideTurn(trx: Trx, project: string, turnId: string): Promise<Hidden | null> {
  const { rows } = await sql<{ conversationId: string }>`
    select conversation_id as "conversationId" from turns
    where id = ${turnId} and project = ${project} and ${isVisible} and not ${isAddedItems}`.execute(trx);
  const conversationId = rows[0]?.conversationId;
  if (conversationId === undefined || !(await lockConversation(trx, conversationId))) return null;

  const wakeups = await endTurn(trx, { turnId, conversationId, status: 'cancelled' });
  const { rows: hidden } = await sql`
    update turns set hidden_at = now() where id = ${turnId} and ${isVisible} returning id`.execute(trx);
  if (hidden.length === 0) return null;

  await forgetSummaries(trx, sql`id = ${turnId}`);
  await forgetTexts(trx, sql`id = ${turnId}`);
  await endHistory(trx, [conversationId]);
  await sql`
    update conversations set erase_due_at = now(),
      hidden_at = case when outlives_turns or exists (${visibleTurns}) then hidden_at else coalesce(hidden_at, now()) end
    where id = ${conversationId}`.execute(trx);
  return { wakeups: wakeups ?? [], wasActive: wakeups !== null };
}

/**
 * Hides a conversation from callers, since its turns may be the history of forks. The caller has locked the
 * conversation, which has no active turn.
 */
export async function hideConversation(trx: Trx, conversationId: string): Promise<void> {
  await sql`
    update turns set hidden_at = now() where conversation_id = ${conversationId} and ${isVisible}`.execute(trx);
  await forgetSummaries(trx, sql`conversation_id = ${conversationId}`);
  await forgetTexts(trx, sql`conversation_id = ${conversationId}`);
  await endHistory(trx, [conversationId]);
  await sql`
    update conversations set hidden_at = now(), erase_due_at = now(), config = '{}', metadata = '{}'
    where id = ${conversationId}`.execute(trx);
}

/**
 * Deletes the search entries of ended turns, and answers of batches that no round has used. The requests of such
 * answers have no text and stay until their usage is counted (R41). `targets` is a condition on the turns.
 */
export async function forgetTexts(trx: Trx, targets: RawBuilder<unknown>): Promise<void> {
  await sql`
    with target as materialized (select id from turns where ${targets}),
    answers as (delete from batch_answers where turn_id in (select id from target))
    select delete_entries(array(select id from target))`.execute(trx);
}

const visibleTurns = sql`select from turns where turns.conversation_id = conversations.id and ${isVisible}`;

/**
 * Ends the history of hidden turns that no visible turn of their conversation depends on. Later turns never read
 * them, whether they are erased or not. Earlier turns and their forks keep them. Turns in `leaving` count as deleted.
 */
export async function endHistory(trx: Trx, conversationIds: string[], leaving: string[] = []): Promise<void> {
  await sql`
    update turns set history_until = conversations.turns from conversations
    where conversations.id in (${listed(conversationIds)}) and turns.conversation_id = conversations.id
      and turns.hidden_at is not null and history_until is null and turns.id not in (${listed(leaving)})
      and coalesce(turns.position, ${BEHIND_ALL}) > coalesce((
        select max(visible.position) from turns as visible
        where visible.conversation_id = conversations.id and visible.stored and visible.hidden_at is null
          and visible.id not in (${listed(leaving)})), 0)`.execute(trx);
}
