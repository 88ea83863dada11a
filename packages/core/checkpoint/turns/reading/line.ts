import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { Turn } from '../../../turn/turn.ts';
import { isAddedItems, isVisible } from '../../sql/visible.ts';
import type { Db, Trx } from '../../tables.ts';
import { asHistory, isStoodOn, type LineTurn, type LineTurnAsRead, selectLineTurn, toLineTurn } from './history.ts';

/** A conversation that is locked until the commit: how many turns were added to it, which is the position of the last. */
export type LockedLine = { conversationId: string; lastPosition: number };

/** The conversation of a project's turn; undefined where there is no such turn. */
export async function conversationOf(db: Db, project: string, turnId: string): Promise<string | undefined> {
  const query = sql<{ conversationId: string }>`
    select conversation_id as "conversationId" from turns where id = ${turnId} and project = ${project}`;
  return (await read(db, query))[0]?.conversationId;
}

/**
 * Locks a conversation, so that what follows its last turn is decided once (contract-responses R24). Undefined when there
 * is no such conversation.
 */
export async function lockLine(trx: Trx, project: string, conversationId: string): Promise<LockedLine | undefined> {
  const { rows } = await sql<LockedLine>`
    select id as "conversationId", turns as "lastPosition" from conversations
    where id = ${conversationId} and project = ${project} and hidden_at is null for no key update`.execute(trx);
  return rows[0];
}

/**
 * What the input of a conversation's next turn may answer, oldest first: the last turn that a model was asked, and items that
 * were added behind it. None where the conversation has neither.
 */
export async function findLastTurns(db: Db, conversationId: string): Promise<Turn[]> {
  const ofConversation = sql`conversation_id = ${conversationId} and ${isVisible} and ${isStoodOn}`;
  const lastAsked = sql`select max(position) from turns where ${ofConversation} and not ${isAddedItems}`;
  const query = sql<LineTurnAsRead>`
    select ${selectLineTurn} from turn_states as turns
    where ${ofConversation} and position >= coalesce((${lastAsked}), 0) order by position`;
  const rows = await read(db, query);
  return rows.map((row) => asHistory(toLineTurn(row)));
}

/** Whether a turn before this one is still active, or again: what stands on both would see it change. */
export async function hasActiveBefore(
  db: Db,
  { conversationId, position }: Pick<Turn, 'conversationId' | 'position'>,
): Promise<boolean> {
  const query = sql`
    select id from work where conversation_id = ${conversationId} and position < ${position} limit 1`;
  return (await read(db, query)).length > 0;
}

/**
 * The last turn of a conversation that had begun, or items that had been added to it, when another turn of it was asked for. Undefined
 * where that was the first: then nothing came before it, or only what its conversation was `forkedFrom`.
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

/** A turn whose items callers find, also where it is items that were added to a conversation. */
export async function findTurnOfItems(db: Db, project: string, turnId: string): Promise<LineTurn | undefined> {
  const query = sql<LineTurnAsRead>`
    select ${selectLineTurn} from turn_states as turns where id = ${turnId} and project = ${project} and ${isVisible}`;
  const rows = await read(db, query);
  return rows[0] && toLineTurn(rows[0]);
}

/**
 * Whether a turn is part of the line that ends at another: at or before it in its conversation, or in one that the
 * conversation is a fork of, up to the turn of the fork.
 */
export async function isInLine(
  db: Db,
  turnId: string,
  last: Pick<Turn, 'conversationId' | 'position'>,
): Promise<boolean> {
  const query = sql<{ id: string }>`
    with recursive line as (
      select ${last.conversationId}::text as conversation_id, ${last.position}::int as position
      union all
      select origin.conversation_id, origin.position
      from line
      join conversations on conversations.id = line.conversation_id
      join turns as origin on origin.id = conversations.forked_from
    )
    select turns.id from turns join line using (conversation_id)
    where turns.id = ${turnId} and turns.position <= line.position`;
  const found = await read(db, query);
  return found.length > 0;
}
