import { sql } from 'kysely';
import type { Conversation } from '../turn/conversation.ts';
import type { Db } from './database.ts';
import { fittingRows, type Page, pageOfRows } from './fitting-rows.ts';
import { selectConversations } from './select-conversations.ts';

/** A page of a project's conversations, newest first; `before` is the last id of the page before. */
export async function listConversations(
  db: Db,
  project: string,
  { before, limit }: { before?: string; limit: number },
): Promise<Page<Conversation>> {
  const rows = sql`from conversations where project = ${project} ${before ? sql`and id < ${before}` : sql``}`;
  const bytes = sql`octet_length(config::text) + octet_length(metadata::text) + 500`;
  const page = fittingRows({ rows, key: sql`id`, direction: 'desc', limit, bytes });
  const read = await selectConversations(db, project)
    .innerJoin(sql<{ id: string; found: number }>`(${page})`.as('page'), (join) =>
      join.onRef('page.id', '=', 'conversations.id'),
    )
    .select(sql<number>`page.found::int`.as('found'))
    .orderBy('conversations.id', 'desc')
    .execute();
  return pageOfRows(read);
}
