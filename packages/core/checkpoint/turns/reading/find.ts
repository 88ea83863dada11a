import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import { isAdded, type Turn } from '../../../turn/turn.ts';
import { isAddedItems, isVisible } from '../../sql/visible.ts';
import type { Db } from '../../tables.ts';
import { refreshTurn } from './refresh.ts';
import { selectTurn, selectTurns } from './select.ts';

/**
 * A project's own turn; undefined for one of another project, for one that no caller finds, and for items that were added to
 * a conversation.
 */
export async function findTurn(db: Db, project: string, id: string): Promise<Turn | undefined> {
  const turn = await selectTurn(db, id, { project });
  return turn && !isAdded(turn) ? turn : undefined;
}

/** How far a project's own turn has come; undefined as for `findTurn`. */
export async function findTurnState(db: Db, project: string, id: string): Promise<TurnState | undefined> {
  const query = sql<TurnState>`
    select id, status, last_event as "lastEvent" from turn_states as turns
    where id = ${id} and project = ${project} and ${isVisible} and not ${isAddedItems}`;
  return (await read(db, query))[0];
}

type TurnState = Pick<Turn, 'id' | 'status' | 'lastEvent'>;

/**
 * A turn as it stands now; undefined when there is none of that id, or if more than `most` bytes would be read. What is `known` of it
 * is not read again.
 */
export async function loadTurn(
  db: Db,
  id: string,
  known?: Turn,
  most: number | null = null,
): Promise<Turn | undefined> {
  return known ? refreshTurn(db, known, most) : selectTurn(db, id, 'any', most);
}

/** The turn that a conversation was created with; undefined when that is deleted. A fork has none of its own. */
export async function findFirstTurn(db: Db, conversationId: string): Promise<Turn | undefined> {
  return (await selectTurns(db, firstOf(conversationId)))[0];
}

/** One that was delayed has a later position. */
const firstOf = (conversationId: string) => sql`conversation_id = ${conversationId} and ${isVisible}
  and (position = 1 or start_at is not null) order by id limit 1`;

/** The ids of a conversation's turns that have not ended, in their order, without those that are delayed (R35). */
export async function findActiveTurns(db: Db, conversationId: string): Promise<string[]> {
  const query = sql<{ id: string }>`
    select id from work where conversation_id = ${conversationId} and position is not null order by position`;
  return (await read(db, query)).map(({ id }) => id);
}

/** The ids of a conversation's turns whose time has not come. */
export async function findDelayedTurns(db: Db, conversationId: string): Promise<string[]> {
  const query = sql<{ id: string }>`
    select id from work where conversation_id = ${conversationId} and position is null order by id`;
  return (await read(db, query)).map(({ id }) => id);
}
