import { sql } from 'kysely';
import type { Db } from './database.ts';

/** A project's conversations, each with the turn it is at. */
export function selectConversations(db: Db, project: string) {
  return db
    .selectFrom('conversations')
    .leftJoin('turns', (join) =>
      join.onRef('turns.conversation_id', '=', 'conversations.id').on('turns.at_head', '=', true),
    )
    .select(['conversations.id', 'conversations.config', 'conversations.metadata', 'turns.id as activeTurnId'])
    .select(sql<string>`conversations.created_at::text`.as('createdAt'))
    .where('conversations.project', '=', project);
}
