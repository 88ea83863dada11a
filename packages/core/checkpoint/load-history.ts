import { sql } from 'kysely';
import type { Turn } from '../turn/turn.ts';
import type { Db } from './database.ts';
import { selectTurns } from './select-turns.ts';

/**
 * The turns of a conversation that were ever begun, oldest first, up to but without `before` (a position).
 * One cancelled while queued left nothing behind.
 */
export async function loadHistory(db: Db, conversationId: string, before?: number): Promise<Turn[]> {
  return selectTurns(
    db,
    sql`conversation_id = ${conversationId} and (started_at is not null or completed_at is null)
      ${before === undefined ? sql`` : sql`and position < ${before}`} order by position`,
  );
}
