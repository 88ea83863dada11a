import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { Turn } from '../../../turn/turn.ts';
import { isAddedItems, isVisible } from '../../sql/visible.ts';
import type { Db, Trx } from '../../tables.ts';
import {
  asHistory,
  isBasis,
  selectThreadTurn,
  type ThreadTurn,
  type ThreadTurnAsRead,
  toThreadTurn,
} from './history.ts';

/** A conversation that is locked until the commit, with its number of turns, which is the position of the last turn. */
export type LockedConversation = { conversationId: string; lastPosition: number };

/** Returns the conversation of a project's turn, or undefined if the turn does not exist. */
export async function conversationOf(db: Db, project: string, turnId: string): Promise<string | undefined> {
  const query = sql<{ conversationId: string }>`
    select conversation_id as "conversationId" from turns where id = ${turnId} and project = ${project}`;
  return (await read(db, query))[0]?.conversationId;
}

/**
 * Locks a conversation, so that the turn after its last turn is decided once. Returns undefined if the conversation
 * does not exist.
 */
export async function lockConversation(
  trx: Trx,
  project: string,
  conversationId: string,
): Promise<LockedConversation | undefined> {
  const { rows } = await sql<LockedConversation>`
    select id as "conversationId", turns as "lastPosition" from conversations
    where id = ${conversationId} and project = ${project} and hidden_at is null for no key update`.execute(trx);
  return rows[0];
}

/**
 * Finds the turns that the input of a conversation's next turn may answer, oldest first: the last turn that asked a
 * model, and items that were added after it. Returns no turn if the conversation has neither.
 */
export async function findLastTurns(db: Db, conversationId: string): Promise<Turn[]> {
  const ofConversation = sql`conversation_id = ${conversationId} and ${isVisible} and ${isBasis}`;
  const lastAsked = sql`select max(position) from turns where ${ofConversation} and not ${isAddedItems}`;
  const query = sql<ThreadTurnAsRead>`
    select ${selectThreadTurn} from turn_states as turns
    where ${ofConversation} and position >= coalesce((${lastAsked}), 0) order by position`;
  const rows = await read(db, query);
  return rows.map((row) => asHistory(toThreadTurn(row)));
}

/** Returns whether an earlier turn is active or reopened. A turn based on both would see it change. */
export async function hasActiveBefore(
  db: Db,
  { conversationId, position }: Pick<Turn, 'conversationId' | 'position'>,
): Promise<boolean> {
  const query = sql`
    select id from work where conversation_id = ${conversationId} and position < ${position} limit 1`;
  return (await read(db, query)).length > 0;
}

/**
 * Finds the last turn that had begun, or the last added items, when this turn was requested. Returns undefined if
 * this turn was the first, even if its conversation was forked from another.
 */
export async function findLastBegun(
  db: Db,
  { id, conversationId, createdAt }: Pick<Turn, 'id' | 'conversationId' | 'createdAt'>,
): Promise<{ turnId: string; position: number } | undefined> {
  const query = sql<{ turnId: string; position: number }>`
    select id as "turnId", position from turn_states as turns
    where conversation_id = ${conversationId} and id <> ${id} and position is not null and ${isVisible}
      and (started_at <= ${createdAt}::timestamptz or (${isAddedItems} and created_at <= ${createdAt}::timestamptz))
    order by position desc limit 1`;
  const rows = await read(db, query);
  return rows[0];
}

/** Finds a turn, or added items, with items that callers find. */
export async function findTurnOfItems(db: Db, project: string, turnId: string): Promise<ThreadTurn | undefined> {
  const query = sql<ThreadTurnAsRead>`
    select ${selectThreadTurn} from turn_states as turns where id = ${turnId} and project = ${project} and ${isVisible}`;
  const rows = await read(db, query);
  return rows[0] && toThreadTurn(rows[0]);
}

/**
 * Returns whether a turn is in the thread that ends at `last`: at or before it in its conversation, or in an origin
 * of that conversation, up to the turn of the fork.
 */
export async function isInThread(
  db: Db,
  turnId: string,
  last: Pick<Turn, 'conversationId' | 'position'>,
): Promise<boolean> {
  const query = sql<{ id: string }>`
    with recursive thread as (
      select ${last.conversationId}::text as conversation_id, ${last.position}::int as position
      union all
      select origin.conversation_id, origin.position
      from thread
      join conversations on conversations.id = thread.conversation_id
      join turns as origin on origin.id = conversations.forked_from
    )
    select turns.id from turns join thread using (conversation_id)
    where turns.id = ${turnId} and turns.position <= thread.position`;
  const found = await read(db, query);
  return found.length > 0;
}
