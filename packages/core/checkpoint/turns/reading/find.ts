import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import { isAdded, type Turn } from '../../../turn/turn.ts';
import { isAddedItems, isVisible } from '../../sql/visible.ts';
import type { Db } from '../../tables.ts';
import { refreshTurn } from './refresh.ts';
import { selectTurn, selectTurns } from './select.ts';

/**
 * Finds a turn of this project. Returns undefined for a turn of another project, a turn that no caller finds, and
 * items that were added to a conversation.
 */
export async function findTurn(db: Db, project: string, id: string): Promise<Turn | undefined> {
  const turn = await selectTurn(db, id, { project });
  return turn && !isAdded(turn) ? turn : undefined;
}

/** Finds the progress of a turn of this project. Returns undefined in the same cases as `findTurn`. */
export async function findTurnState(db: Db, project: string, id: string): Promise<TurnState | undefined> {
  const query = sql<TurnState>`
    select id, status, last_event as "lastEvent" from turn_states as turns
    where id = ${id} and project = ${project} and ${isVisible} and not ${isAddedItems}`;
  return (await read(db, query))[0];
}

type TurnState = Pick<Turn, 'id' | 'status' | 'lastEvent'>;

/**
 * Loads a turn in its current state. Does not read the parts that `known` has. Returns undefined if the turn does not
 * exist, or if more than `most` bytes would be read.
 */
export async function loadTurn(
  db: Db,
  id: string,
  known?: Turn,
  most: number | null = null,
): Promise<Turn | undefined> {
  return known ? refreshTurn(db, known, most) : selectTurn(db, id, 'any', most);
}

/**
 * Finds the turn that a conversation was created with. Returns undefined if that turn is deleted. A fork has no such
 * turn.
 */
export async function findFirstTurn(db: Db, conversationId: string): Promise<Turn | undefined> {
  return (await selectTurns(db, firstOf(conversationId)))[0];
}

/** The condition of that turn. If it was delayed, it has a later position. */
const firstOf = (conversationId: string) => sql`conversation_id = ${conversationId} and ${isVisible}
  and (position = 1 or start_at is not null) order by id limit 1`;

/** Returns the ids of a conversation's active turns in their order, without delayed turns (R35). */
export async function findActiveTurns(db: Db, conversationId: string): Promise<string[]> {
  const query = sql<{ id: string }>`
    select id from work where conversation_id = ${conversationId} and position is not null order by position`;
  return (await read(db, query)).map(({ id }) => id);
}

export async function findDelayedTurns(db: Db, conversationId: string): Promise<string[]> {
  const query = sql<{ id: string }>`
    select id from work where conversation_id = ${conversationId} and position is null order by id`;
  return (await read(db, query)).map(({ id }) => id);
}
