import type { Db } from './database.ts';

/** The ids of a conversation's turns that have not ended, in their order. */
export async function findActiveTurns(db: Db, conversationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('turns')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('due_at', 'is not', null)
    .orderBy('position')
    .execute();
  return rows.map((row) => row.id);
}
