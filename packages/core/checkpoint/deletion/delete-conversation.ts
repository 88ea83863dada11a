import { sql } from 'kysely';
import { isVisible } from '../sql/visible.ts';
import type { Trx } from '../tables.ts';
import { lockThreads } from './lock-threads.ts';
import { removeTurns } from './remove-turns.ts';

/**
 * Deletes a conversation and erases its content. Hides turns that forks depend on, and erases them with the last fork
 * (R31). Returns `busy`, without a change, while one of its turns is active.
 */
export async function deleteConversation(
  trx: Trx,
  project: string,
  id: string,
): Promise<'deleted' | 'busy' | 'missing'> {
  const conversationIds = await lockThreads(trx, [id], { waits: true });
  const { rows } = await sql<{ isActive: boolean }>`
    select exists (select from work where conversation_id = conversations.id) as "isActive"
    from conversations where id = ${id} and project = ${project} and hidden_at is null`.execute(trx);
  const [conversation] = rows;
  if (conversationIds.length === 0 || !conversation) return 'missing';
  if (conversation.isActive) return 'busy';

  await sql`update conversations set hidden_at = now(), config = '{}', metadata = '{}' where id = ${id}`.execute(trx);
  const { rows: turns } = await sql<{ id: string }>`
    select id from turns where conversation_id = ${id} and ${isVisible} order by id for update`.execute(trx);
  await removeTurns(trx, { conversationIds, turnIds: turns.map((turn) => turn.id), isByAge: false });
  return 'deleted';
}
