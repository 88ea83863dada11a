import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, sql } from 'kysely';
import { read, write } from '../postgres/read-write.ts';
import type { StandingConfig } from '../turn/request/turn.ts';
import type { Conversation, ListedTurn } from '../turn/turn.ts';
import {
  type ConversationFilter,
  fitsSearch,
  plainConversation,
  searchedConversations,
} from './search/conversation-filter.ts';
import { enterConversation } from './search/enter-turns.ts';
import { isSearch } from './search/search-query.ts';
import { expiresAt } from './sql/expires-at.ts';
import { fittingRows, type Page, pageOfRows } from './sql/page.ts';
import type { Db, Trx } from './tables.ts';
import { lockVisibleConversation } from './turns/lock.ts';
import { bytesOfRequest } from './turns/reading/bytes.ts';
import { findLatestTurns, latestOf } from './turns/reading/latest.ts';

export type NewConversation = {
  id: string;
  project: string;
  config: StandingConfig;
  metadata: Record<string, string>;
};

/** Saves a conversation with the configuration that its turns inherit, and the time to check its expiry (R32). */
export async function createConversation(db: Db, { id, project, config, metadata }: NewConversation): Promise<void> {
  const statement = sql`insert into conversations (id, project, config, metadata, expiry_due_at)
    values (${id}, ${project}, ${config}::json, ${metadata}::json,
      now() + make_interval(secs => ${config.expires_in_seconds ?? null}::int))`;
  await write(db, statement);
}

export async function setMetadata(db: Db, id: string, metadata: Record<string, string>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`update conversations set metadata = ${metadata}::json where id = ${id} and hidden_at is null`.execute(
      trx,
    );
    await enterConversation(trx, id);
  });
}

/**
 * Replaces the configuration that later turns inherit, and the metadata if given, under the conversation's lock.
 * Returns false, without a change, if the configuration is no longer that of `known`, or if no caller finds the
 * conversation.
 */
export async function changeConversation(
  trx: Trx,
  { id, config: known }: Pick<Conversation, 'id' | 'config'>,
  { config, metadata }: { config: StandingConfig; metadata?: Record<string, string> },
): Promise<boolean> {
  if (!(await lockVisibleConversation(trx, id))) return false;
  const { rows } = await sql<{ config: StandingConfig }>`select config from conversations where id = ${id}`.execute(
    trx,
  );
  if (!isDeepStrictEqual(rows[0]?.config, known)) return false;
  const given = metadata === undefined ? sql`` : sql`, metadata = ${metadata}::json`;
  await sql`update conversations set config = ${config}::json ${given} where id = ${id}`.execute(trx);
  await enterConversation(trx, id);
  return true;
}

/** Finds a conversation of this project. Returns undefined for a conversation of another project. */
export async function findConversation(db: Db, project: string, id: string): Promise<Conversation | undefined> {
  const query = sql<Conversation>`
    select ${columns} from ${withActiveTurn} where ${isFoundIn(project)} and conversations.id = ${id}`;
  return (await read(db, query))[0];
}

/**
 * The filter and size of a page. `before` is the last id of the previous page. `withTurn` counts the latest turns
 * toward the size.
 */
export type ConversationPage = ConversationFilter & { before?: string; limit: number; withTurn?: boolean };

/** The number of newest conversations that are filtered one by one before the search index is used. */
const NEWEST = 500;

/** Lists a page of a project's conversations, newest first. */
export async function listConversations(db: Db, project: string, page: ConversationPage): Promise<Page<Conversation>> {
  if (!isSearch(page))
    return pageOfRows(await readPage(db, project, { ...page, rows: newest(project, page, page.limit + 1) }));
  const looked = newest(project, page, NEWEST);
  const rows = await readPage(db, project, { ...page, rows: sql`${looked} where ${fitsSearch(project, page)}` });
  if ((rows[0]?.found ?? 0) > page.limit || (await isWhole(db, looked))) return pageOfRows(rows);
  const all = sql`from (
      select conversations.* from (${await searchedConversations(db, project, page)}) as searched
      cross join lateral (select * from conversations where conversations.id = searched.id offset 0) as conversations
    ) as conversations where ${plainConversation(project, page)} ${behind(page)}`;
  return pageOfRows(await readPage(db, project, { ...page, rows: all }));
}

/** Lists the same page, with the latest turn of each conversation. */
export async function listWithLatestTurns(
  db: Db,
  project: string,
  page: ConversationPage,
): Promise<Page<Conversation & { latestTurn: ListedTurn | null }>> {
  const { rows, hasMore } = await listConversations(db, project, { ...page, withTurn: true });
  const latest = await findLatestTurns(
    db,
    rows.map(({ id }) => id),
  );
  return { rows: rows.map((row) => ({ ...row, latestTurn: latest.get(row.id) ?? null })), hasMore };
}

function newest(project: string, page: ConversationPage, limit: number): RawBuilder<unknown> {
  return sql`from (
    select * from conversations where ${plainConversation(project, page)} ${behind(page)}
    order by id desc limit ${limit}) as conversations`;
}

function behind({ before }: ConversationPage): RawBuilder<unknown> {
  return before === undefined ? sql`` : sql`and conversations.id < ${before}`;
}

async function isWhole(db: Db, looked: RawBuilder<unknown>): Promise<boolean> {
  const [row] = await read(db, sql<{ count: number }>`select count(*)::int as count ${looked}`);
  return row === undefined || row.count < NEWEST;
}

type Shown = ConversationPage & { rows: RawBuilder<unknown> };

async function readPage(db: Db, project: string, { rows, limit, withTurn = false }: Shown) {
  const ofTurn = sql`+ coalesce((select ${bytesOfRequest} from (${latestOf(sql`conversations.id`)}) as turns), 0)`;
  const bytes = sql`octet_length(config::text) + octet_length(metadata::text) + 500 ${withTurn ? ofTurn : sql``}`;
  // Materialized, since a plan may otherwise look for the rows of the page once for each conversation.
  const fitting = fittingRows({ rows, key: sql`id`, direction: 'desc', limit, bytes });
  const page = sql`with fitting as materialized (${fitting}) select * from fitting`;
  const query = sql<Conversation & { found: number }>`
    select ${columns}, page.found::int from ${withActiveTurn} join (${page}) as page on page.id = conversations.id
    where ${isFoundIn(project)} order by conversations.id desc`;
  return read(db, query);
}

const columns = sql`conversations.id, conversations.config, conversations.metadata, work.id as "activeTurnId",
  conversations.forked_from as "forkedFrom", conversations.forked_round as "forkedRound",
  conversations.created_at::text as "createdAt", (${expiresAt})::text as "expiresAt"`;

const withActiveTurn = sql`conversations left join work on work.conversation_id = conversations.id and work.at_head`;

const isFoundIn = (project: string) => sql`conversations.project = ${project} and conversations.hidden_at is null`;
