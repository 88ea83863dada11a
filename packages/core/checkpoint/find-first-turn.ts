import { sql } from 'kysely';
import type { Turn } from '../turn/turn.ts';
import type { Db } from './database.ts';
import { selectTurns } from './select-turns.ts';

/** The turn a conversation began with; undefined while it has none. */
export async function findFirstTurn(db: Db, conversationId: string): Promise<Turn | undefined> {
  return (await selectTurns(db, sql`conversation_id = ${conversationId} and position = 1`))[0];
}
