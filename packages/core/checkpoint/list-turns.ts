import { sql } from 'kysely';
import type { Turn, TurnStatus } from '../turn/turn.ts';
import type { Db } from './database.ts';
import { selectTurns } from './select-turns.ts';

export type TurnFilter = { status?: TurnStatus; conversationId?: string; before?: string; limit: number };

/** A project's turns, newest first; `before` is the last id of the page before. */
export async function listTurns(db: Db, project: string, filter: TurnFilter): Promise<Turn[]> {
  const { status, conversationId, before, limit } = filter;
  // A literal is planned by how many have it: where nearly all have another, its own index is taken.
  const ofStatus = status ? sql`and status = ${sql.lit(status)}` : sql``;
  return selectTurns(
    db,
    sql`project = ${project}
      ${ofStatus}
      ${conversationId ? sql`and conversation_id = ${conversationId}` : sql``}
      ${before ? sql`and id < ${before}` : sql``}
      order by id desc limit ${limit}`,
  );
}
