import { sql } from 'kysely';
import type { Turn } from '../turn/turn.ts';
import type { Db } from './database.ts';
import { fittingRows, type Page, pageOfRows } from './fitting-rows.ts';
import { bytesOfRequest, bytesOfRounds, selectTurns, selectWhole, type TurnAsRead, toTurn } from './select-turns.ts';

const wasBegun = sql`(started_at is not null or completed_at is null)`;

/**
 * The turns of a conversation that were ever begun, oldest first, up to but without `before` (a position).
 * One cancelled while queued left nothing behind.
 */
export async function loadHistory(db: Db, conversationId: string, before?: number): Promise<Turn[]> {
  return selectTurns(
    db,
    sql`conversation_id = ${conversationId} and ${wasBegun}
      ${before === undefined ? sql`` : sql`and position < ${before}`} order by position`,
  );
}

/** One page of them, from behind the turn `after` on. */
export async function listHistory(
  db: Db,
  conversationId: string,
  { after, limit }: { after?: string; limit: number },
): Promise<Page<Turn>> {
  const behind = after ? sql`and position > (select position from turns where id = ${after})` : sql``;
  const rows = sql`from turns where conversation_id = ${conversationId} and ${wasBegun} ${behind}`;
  const bytes = sql`${bytesOfRequest} + ${bytesOfRounds}`;
  const page = fittingRows({ rows, key: sql`position`, direction: 'asc', limit, bytes });
  const { rows: read } = await sql<TurnAsRead & { found: number }>`
    with page as materialized (${page})
    select ${selectWhole}, found::int from page join turns using (id) order by position`.execute(db);
  const { rows: turns, hasMore } = pageOfRows(read);
  return { rows: turns.map(toTurn), hasMore };
}
