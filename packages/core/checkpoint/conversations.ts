import { sql } from 'kysely';
import { read, write } from '../postgres/read-write.ts';
import type { StandingConfig } from '../turn/request/turn.ts';
import type { Conversation } from '../turn/turn.ts';
import { fittingRows, type Page, pageOfRows } from './sql/page.ts';
import type { Db, Trx } from './tables.ts';
import { hideConversation } from './turns/hide.ts';

export type NewConversation = {
  id: string;
  project: string;
  config: StandingConfig;
  metadata: Record<string, string>;
};

/** Records a conversation with the configuration that its turns inherit. */
export async function createConversation(db: Db, { id, project, config, metadata }: NewConversation): Promise<void> {
  await write(
    db,
    sql`insert into conversations (id, project, config, metadata)
    values (${id}, ${project}, ${config}::json, ${metadata}::json)`,
  );
}

/** Replaces the metadata of a conversation that callers find. */
export async function setMetadata(db: Db, id: string, metadata: Record<string, string>): Promise<void> {
  await write(db, sql`update conversations set metadata = ${metadata}::json where id = ${id} and hidden_at is null`);
}

/** A project's own conversation; undefined for one of another project. */
export async function findConversation(db: Db, project: string, id: string): Promise<Conversation | undefined> {
  const [conversation] = await read(db, selectConversations(db, project).where('conversations.id', '=', id));
  return conversation;
}

/** A page of a project's conversations, newest first; `before` is the last id of the page before. */
export async function listConversations(
  db: Db,
  project: string,
  { before, limit }: { before?: string; limit: number },
): Promise<Page<Conversation>> {
  const rows = sql`from conversations where project = ${project} and hidden_at is null ${before ? sql`and id < ${before}` : sql``}`;
  const bytes = sql`octet_length(config::text) + octet_length(metadata::text) + 500`;
  const page = fittingRows({ rows, key: sql`id`, direction: 'desc', limit, bytes });
  const query = selectConversations(db, project)
    .innerJoin(sql<{ id: string; found: number }>`(${page})`.as('page'), (join) =>
      join.onRef('page.id', '=', 'conversations.id'),
    )
    .select(sql<number>`page.found::int`.as('found'))
    .orderBy('conversations.id', 'desc');
  return pageOfRows(await read(db, query));
}

/**
 * Deletes a conversation and all that belongs to it. One that is a fork or has forks is hidden, and erased soon as far as
 * nothing stands on it. Refused, and nothing done, while one of its turns is active.
 */
export async function deleteConversation(
  trx: Trx,
  project: string,
  id: string,
): Promise<'deleted' | 'busy' | 'missing'> {
  const conversation = await trx
    .selectFrom('conversations')
    .select('forked_from')
    .where('id', '=', id)
    .where('project', '=', project)
    .where('hidden_at', 'is', null)
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

  if (conversation.forked_from !== null || (await hasForks(trx, id))) await hideConversation(trx, id);
  else await trx.deleteFrom('conversations').where('id', '=', id).execute();
  return 'deleted';
}

async function hasForks(trx: Trx, id: string): Promise<boolean> {
  const fork = await trx
    .selectFrom('turns')
    .innerJoin('conversations as fork', 'fork.forked_from', 'turns.id')
    .select('fork.id')
    .where('turns.conversation_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return fork !== undefined;
}

/** A project's conversations, each with its active turn at the head. */
function selectConversations(db: Db, project: string) {
  return db
    .selectFrom('conversations')
    .leftJoin('turns', (join) =>
      join.onRef('turns.conversation_id', '=', 'conversations.id').on('turns.at_head', '=', true),
    )
    .select([
      'conversations.id',
      'conversations.config',
      'conversations.metadata',
      'turns.id as activeTurnId',
      'conversations.forked_from as forkedFrom',
    ])
    .select(sql<string>`conversations.created_at::text`.as('createdAt'))
    .where('conversations.project', '=', project)
    .where('conversations.hidden_at', 'is', null);
}
