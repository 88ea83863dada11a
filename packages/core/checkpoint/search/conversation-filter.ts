import { type RawBuilder, sql } from 'kysely';
import { isAddedItems, isVisible } from '../sql/visible.ts';
import type { Db } from '../tables.ts';
import {
  conversationCreated,
  isSearch,
  queryOf,
  readProgress,
  type SearchedFor,
  tokensOfConversation,
} from './search-query.ts';
import { type CreatedBetween, createdCondition, fitsTokens, searchedTurns } from './turn-filter.ts';

/** A filter of conversations: by their own model and metadata, and by the words `q` of any of their turns. */
export type ConversationFilter = Omit<SearchedFor, 'errorCode'> & CreatedBetween;

/** Returns the condition on `conversations` for the fields that need no entry. */
export function plainConversation(project: string, filter: CreatedBetween): RawBuilder<boolean> {
  return sql<boolean>`conversations.project = ${project} and conversations.hidden_at is null
    ${createdCondition('conv', filter)}`;
}

/** Returns the condition that the conversation of a row fits the search, looked up for this conversation alone. */
export function fitsSearch(project: string, { q, ...own }: ConversationFilter): RawBuilder<boolean> {
  const ofTurns = sql`exists (
    select from turns where turns.conversation_id = conversations.id and ${isVisible} and not ${isAddedItems}
      and ${fitsTokens(project, q === undefined ? {} : { q })})`;
  const query = queryOf('conversation', project, own);
  return sql<boolean>`${isSearch(own) ? sql`${tokensOfConversation} @@ ${query}` : sql`true`}
    ${q === undefined ? sql`` : sql`and ${ofTurns}`}`;
}

/**
 * Returns a query for the distinct ids of all conversations that fit the search: from the index, and from rows
 * without entries. Both are read once, not once for each conversation.
 */
export async function searchedConversations(
  db: Db,
  project: string,
  { q, ...own }: ConversationFilter,
): Promise<RawBuilder<unknown>> {
  const { conversations } = await readProgress(db);
  const query = queryOf('conversation', project, own);
  const byOwn = sql`
    select id from search_entries where tokens @@ ${query}
    union
    select id from conversations where ${conversationCreated} > ${conversations} and project = ${project}
      and ${tokensOfConversation} @@ ${query}`;
  if (q === undefined) return byOwn;
  const byTurns = sql`
    select distinct turns.conversation_id as id from (${await searchedTurns(db, project, { q })}) as found
    cross join lateral (select * from turns where turns.id = found.id offset 0) as turns
    where ${isVisible} and not ${isAddedItems}`;
  return isSearch(own) ? sql`(${byTurns}) intersect (${byOwn})` : byTurns;
}
