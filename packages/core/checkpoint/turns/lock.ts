import type { Trx } from '../tables.ts';

/**
 * Locks a conversation, before anything that starts or ends one of its turns. One turn then follows another exactly
 * once. Locks are always taken in one order: conversation, then turns. False when there is no such conversation.
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

/** The same for a turn that a caller starts: false for a conversation that is deleted, or that no caller finds. */
export async function lockVisibleConversation(trx: Trx, id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('conversations')
    .select('id')
    .where('id', '=', id)
    .where('hidden_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks a turn, before a write that has to see the latest write to it. */
export async function lockTurn(trx: Trx, turnId: string): Promise<void> {
  await trx.selectFrom('turns').select('id').where('id', '=', turnId).forNoKeyUpdate().execute();
}
