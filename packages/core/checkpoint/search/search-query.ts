import { type RawBuilder, sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import type { TerminalStatus } from '../../turn/turn.ts';
import type { Db } from '../tables.ts';
import { activeTurns } from './active-turns.ts';

/** A search for turns or conversations by their entries. All given fields must match. */
export type SearchedFor = {
  model?: string;
  errorCode?: string;
  metadata?: Record<string, string>;
  q?: string;
  /** The endings of turns. Only ended turns have a token for their ending. */
  endedAs?: TerminalStatus[];
};

export function isSearch({ model, errorCode, metadata = {}, q }: SearchedFor): boolean {
  return model !== undefined || errorCode !== undefined || q !== undefined || Object.keys(metadata).length > 0;
}

/** Returns the tokens of a project's entries that fit, as a `tsquery`. */
export function queryOf(kind: 'turn' | 'conversation', project: string, searched: SearchedFor): RawBuilder<unknown> {
  const { model, errorCode, metadata = {}, q, endedAs } = searched;
  const statuses = endedAs?.map((status) => tokenQuery('status', status));
  const tokens = [
    tokenQuery(kind, project),
    ...(model === undefined ? [] : [tokenQuery(`${kind} model`, model)]),
    ...(errorCode === undefined ? [] : [tokenQuery('error_code', errorCode)]),
    ...Object.entries(metadata).map(([key, value]) => tokenQuery('metadata', `${key}\u0001${value}`)),
    ...(q === undefined ? [] : [wordQuery(q)]),
    ...(statuses ? [sql`(${sql.join(statuses, sql` || `)})`] : []),
  ];
  return sql`(${sql.join(tokens, sql` && `)})`;
}

function tokenQuery(kind: string, value: string): RawBuilder<unknown> {
  return sql`('''' || search_token(${kind}::text, ${value}::text) || '''')::tsquery`;
}

/** Returns the query for words. A text without words matches no entry. */
function wordQuery(q: string): RawBuilder<unknown> {
  const words = sql`websearch_to_tsquery('pg_catalog.simple', ${q}::text)`;
  return sql`case when numnode(${words}) > 0 then ${words} else ${tokenQuery('no words', '')} end`;
}

/**
 * The entries of a turn and of a conversation from their current rows. `turns.inputs` is up to date only after the
 * turn has ended, so the entry of an active turn always looks up its inputs.
 */
export const entryOfTurn = sql.raw(`entry_of_turn(turns.id, turns.project, turns.config ->> 'model', turns.metadata,
  turns.error ->> 'code', case when turns.completed_at is not null then turns.status end, turns.input,
  case when turns.inputs > 0 or turns.completed_at is null then text_of_joined(turns.id) end, turns.output)`);
export const entryOfConversation = sql.raw(`search_tokens('conversation', conversations.id, conversations.project,
  conversations.config ->> 'model', conversations.metadata, null, null)`);

/** The tokens of a turn: from its entry, or from its row if the entry is missing or old. */
export const tokensOfTurn = sql`coalesce((
  select tokens from search_entries as entry
  where entry.id = turns.id and entry.completed_at is not distinct from turns.completed_at), ${entryOfTurn})`;

/** The tokens of a conversation, in the same way. */
export const tokensOfConversation = sql`coalesce((
  select tokens from search_entries as entry where entry.id = conversations.id), ${entryOfConversation})`;

/** The order in which ended turns and new conversations are entered. */
export const turnEnded = sql`(turns.completed_at, turns.id)`;
export const conversationCreated = sql`(conversations.created_at, conversations.id)`;

/**
 * The progress of ended turns, active turns and conversations. Compare it with the orders above, and with the id of
 * an active turn. The values are literals, since the planner has to know how few rows are left.
 */
export type Progress = Record<'turns' | 'active' | 'conversations', RawBuilder<unknown>>;

export async function readProgress(db: Db): Promise<Progress> {
  const [row] = await read(
    db,
    sql<{ turns: string; lastTurn: string; active: string; conversations: string; lastConversation: string }>`
    select turns_until::text as turns, last_turn as "lastTurn", active_until as active,
      conversations_until::text as conversations, last_conversation as "lastConversation" from search_progress`,
  );
  const literal = (time = '-infinity', id = '') => sql`(${sql.lit(time)}::timestamptz, ${sql.lit(id)})`;
  return {
    turns: literal(row?.turns, row?.lastTurn),
    active: sql.lit(row?.active ?? ''),
    conversations: literal(row?.conversations, row?.lastConversation),
  };
}

/**
 * Returns the condition that a row of `activeTurns` may have no entry yet. The statement looks up each entry by its
 * id, since few turns are new and active.
 */
export function isUnentered({ active }: Progress): RawBuilder<boolean> {
  return sql<boolean>`turns.id > ${active}
    and (select true from search_entries as entry where entry.id = turns.id) is null`;
}

/** Selects the ids of turns that fit a condition and have no entry or an old entry. */
export function notEntered(progress: Progress, fits: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`
    select id from turns where completed_at is not null and ${turnEnded} > ${progress.turns} and ${fits}
    union all
    select id from ${activeTurns} where ${isUnentered(progress)} and ${fits}`;
}
