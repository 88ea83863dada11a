import type { Trx } from './database.ts';

/** Deletes a conversation and all that belongs to it. Refused, and nothing done, while one of its turns is active. */
export async function deleteConversation(
  trx: Trx,
  project: string,
  id: string,
): Promise<'deleted' | 'busy' | 'missing'> {
  const conversation = await trx
    .selectFrom('conversations')
    .select('id')
    .where('id', '=', id)
    .where('project', '=', project)
    .forUpdate()
    .executeTakeFirst();
  if (!conversation) return 'missing';

  const active = await trx
    .selectFrom('turns')
    .select('id')
    .where('conversation_id', '=', id)
    .where('due_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (active) return 'busy';

  await trx.deleteFrom('conversations').where('id', '=', id).execute();
  return 'deleted';
}
