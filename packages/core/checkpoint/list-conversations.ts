import type { Conversation } from '../turn/conversation.ts';
import type { Db } from './database.ts';
import { selectConversations } from './select-conversations.ts';

/** A project's conversations, newest first; `before` is the last id of the page before. */
export async function listConversations(
  db: Db,
  project: string,
  page: { before?: string; limit: number },
): Promise<Conversation[]> {
  const query = selectConversations(db, project).orderBy('conversations.id', 'desc').limit(page.limit);
  return (page.before ? query.where('conversations.id', '<', page.before) : query).execute();
}
