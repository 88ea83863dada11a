import type { Conversation } from '../turn/conversation.ts';
import type { Db } from './database.ts';
import { selectConversations } from './select-conversations.ts';

/** A project's own conversation; another project's is as good as none. */
export async function findConversation(db: Db, project: string, id: string): Promise<Conversation | undefined> {
  return selectConversations(db, project).where('conversations.id', '=', id).executeTakeFirst();
}
