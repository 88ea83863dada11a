import { sql } from 'kysely';
import type { Trx } from '../tables.ts';

/**
 * Locks a conversation before its turns start or end, so that each turn follows another exactly once. Locks are
 * always taken in one order: conversation, work, turns. Returns false if the conversation does not exist.
 */
export async function lockConversation(trx: Trx, id: string): Promise<boolean> {
  const { rows } = await sql`select id from conversations where id = ${id} for no key update`.execute(trx);
  return rows.length > 0;
}

/** Locks a conversation for a turn that a caller starts. Returns false if it is deleted, or if no caller finds it. */
export async function lockVisibleConversation(trx: Trx, id: string): Promise<boolean> {
  const { rows } = await sql`
    select id from conversations where id = ${id} and hidden_at is null for no key update`.execute(trx);
  return rows.length > 0;
}

/**
 * Locks a turn before a write that has to see the latest write: its row of `work` while it is active, else its row of
 * `turns`, which a retry or a delete changes. A turn that a retry reopens during the wait has no open call yet, so a
 * caller finds no call to answer.
 */
export async function lockTurn(trx: Trx, turnId: string): Promise<void> {
  await sql`
    with active as materialized (select id from work where id = ${turnId} for no key update)
    select id from turns where id = ${turnId} and not exists (select from active) for no key update`.execute(trx);
}
