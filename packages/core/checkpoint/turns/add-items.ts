import { sql } from 'kysely';
import type { Turn } from '../../turn/turn.ts';
import type { Trx } from '../tables.ts';

/** Items for a conversation, beside its turns. `id` is the id of the turn that keeps them. */
export type AddedItems = Pick<Turn, 'id' | 'project' | 'conversationId' | 'input'>;

/**
 * Adds items to a conversation, after its turns. They are stored as a turn that has ended from the start: no model is
 * asked, and no worker sees the turn. The caller has locked the conversation.
 */
export async function addItems(trx: Trx, { id, project, conversationId, input }: AddedItems): Promise<void> {
  await sql`
    with conversation as (
      update conversations set turns = turns + 1 where id = ${conversationId} returning turns as position
    )
    insert into turns (id, project, conversation_id, position, priority, config, input, metadata, status, output, completed_at)
    select ${id}, ${project}, ${conversationId}, position, 0, ${NO_MODEL}::json, ${input}::json, '{}', 'completed', '', now()
    from conversation`.execute(trx);
}

/** The configuration that readers of any turn need. */
const NO_MODEL = { model: '', tools: [] };
