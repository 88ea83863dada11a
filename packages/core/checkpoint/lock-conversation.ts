import type { Trx } from './database.ts';

/**
 * Taken first by everything that starts or ends a turn, so that one turn follows another exactly once and locks are
 * always taken in one order: conversation, then turns. False when there is no such conversation.
 */
export async function lockConversation(trx: Trx, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('conversations')
    .select('id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}
