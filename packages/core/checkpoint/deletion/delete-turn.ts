import { sql } from 'kysely';
import { isAddedItems, isVisible } from '../sql/visible.ts';
import type { Trx } from '../tables.ts';
import { conversationOf } from '../turns/reading/thread.ts';
import { lockThreads } from './lock-threads.ts';
import { removeTurns } from './remove-turns.ts';

export type TurnDeletion = 'deleted' | 'active' | 'missing';

/**
 * Deletes an ended turn and erases its content (R31). With the last turn, erases the configuration that a turn gave
 * to its conversation. Returns `active`, without a change, while the turn is active.
 */
export async function deleteTurn(trx: Trx, project: string, turnId: string): Promise<TurnDeletion> {
  const conversationId = await conversationOf(trx, project, turnId);
  if (conversationId === undefined) return 'missing';
  const conversationIds = await lockThreads(trx, [conversationId], { waits: true });

  // Read under the lock, since the turn may have been deleted or reopened.
  const { rows } = await sql<{ isActive: boolean }>`
    select completed_at is null as "isActive" from turns
    where id = ${turnId} and ${isVisible} and not ${isAddedItems} for update`.execute(trx);
  const [turn] = rows;
  if (!turn) return 'missing';
  if (turn.isActive) return 'active';

  await removeTurns(trx, { conversationIds, turnIds: [turnId], isByAge: false });
  await emptyStanding(trx, conversationId);
  return 'deleted';
}

/**
 * Erases the configuration that a turn gave to its new conversation, after the last turn. Keeps the reference to
 * the agent, the model, for later turns, and the expiry.
 */
async function emptyStanding(trx: Trx, conversationId: string): Promise<void> {
  await sql`
    update conversations set config = json_strip_nulls(json_build_object(
      'agent', config -> 'agent', 'model', config -> 'model', 'expires_in_seconds', config -> 'expires_in_seconds'))
    where id = ${conversationId} and begun_by_turn and not exists (
      select from turns where conversation_id = conversations.id and ${isVisible})`.execute(trx);
}
