import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { Turn } from '../../../turn/turn.ts';
import { fittingRows, type Page, pageOfRows } from '../../sql/page.ts';
import type { Db } from '../../tables.ts';
import { bytesOfRequest, bytesOfRounds, selectTurns, selectWhole, type TurnAsRead, toTurn } from './select.ts';

const wasBegun = sql`(started_at is not null or completed_at is null)`;

/**
 * The turns of a conversation that were ever begun, oldest first, up to but without the position `before`. A turn that
 * was cancelled while it was queued is no part of history.
 */
export async function loadHistory(db: Db, conversationId: string, before?: number): Promise<Turn[]> {
  return selectTurns(
    db,
    sql`conversation_id = ${conversationId} and ${wasBegun}
      ${before === undefined ? sql`` : sql`and position < ${before}`} order by position`,
  );
}

/** One page of the history, from the turn after `after` on. */
export async function listHistory(
  db: Db,
  conversationId: string,
  { after, limit }: { after?: string; limit: number },
): Promise<Page<Turn>> {
  const behind = after ? sql`and position > (select position from turns where id = ${after})` : sql``;
  const rows = sql`from turns where conversation_id = ${conversationId} and ${wasBegun} ${behind}`;
  const bytes = sql`${bytesOfRequest} + ${bytesOfRounds}`;
  const page = fittingRows({ rows, key: sql`position`, direction: 'asc', limit, bytes });
  const found = await read(
    db,
    sql<TurnAsRead & { found: number }>`
    with page as materialized (${page})
    select ${selectWhole}, found::int from page join turns using (id) order by position`,
  );
  const { rows: turns, hasMore } = pageOfRows(found);
  return { rows: turns.map(toTurn), hasMore };
}
