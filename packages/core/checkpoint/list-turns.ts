import { sql } from 'kysely';
import type { Turn, TurnStatus } from '../turn/turn.ts';
import type { Db } from './database.ts';
import { selectTurns } from './select-turns.ts';

export type TurnFilter = { status?: TurnStatus; conversationId?: string; before?: string; limit: number };

/** A project's turns, newest first; `before` is the last id of the page before. */
export async function listTurns(db: Db, project: string, filter: TurnFilter): Promise<Turn[]> {
  const { status, conversationId, before, limit } = filter;
  return selectTurns(
    db,
    sql`project = ${project}
      ${status ? sql`and status = ${status}` : sql``}
      ${conversationId ? sql`and conversation_id = ${conversationId}` : sql``}
      ${before ? sql`and id < ${before}` : sql``}
      order by id desc limit ${limit}`,
  );
}
