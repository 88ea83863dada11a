import { sql } from 'kysely';
import type { Turn } from '../../turn/turn.ts';
import type { Trx } from '../tables.ts';

/** Items for a conversation, beside its turns; `id` is that of the turn that keeps them. */
export type AddedItems = Pick<Turn, 'id' | 'project' | 'conversationId' | 'input'>;

/**
 * Adds items to a conversation, behind the turns there are (contract-responses R27). They are kept as a turn that is over from
 * the start: no model is asked, no worker ever sees it, nothing happens to it. The caller has locked the conversation.
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

/** What readers of a turn ask of any configuration. */
const NO_MODEL = { model: '', tools: [] };
