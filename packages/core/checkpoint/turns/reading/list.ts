import { sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { ListedTurn, Turn, TurnStatus } from '../../../turn/turn.ts';
import { fittingRows, type Page, pageOfRows } from '../../sql/page.ts';
import { isAddedItems, isVisible } from '../../sql/visible.ts';
import type { Db } from '../../tables.ts';
import {
  bytesOfRequest,
  bytesOfRounds,
  type ListedAsRead,
  selectListed,
  selectWhole,
  type TurnAsRead,
  toListed,
  toTurn,
} from './select.ts';

export type TurnFilter = { status?: TurnStatus; conversationId?: string; before?: string; limit: number };

/**
 * A page of a project's turns, newest first, without the texts of their rounds; `before` is the last id of the page
 * before.
 */
export async function listTurns(db: Db, project: string, filter: TurnFilter): Promise<Page<ListedTurn>> {
  const page = fitting(project, filter, bytesOfRequest);
  const found = await read(
    db,
    sql<ListedAsRead & { found: number }>`
    with page as materialized (${page})
    select ${selectListed}, found::int from page join turns using (id) order by id desc`,
  );
  const { rows, hasMore } = pageOfRows(found);
  return { rows: rows.map(toListed), hasMore };
}

/** The same page with whole turns. */
export async function listWholeTurns(db: Db, project: string, filter: TurnFilter): Promise<Page<Turn>> {
  const page = fitting(project, filter, sql`${bytesOfRequest} + ${bytesOfRounds}`);
  const found = await read(
    db,
    sql<TurnAsRead & { found: number }>`
    with page as materialized (${page})
    select ${selectWhole}, found::int from page join turns using (id) order by id desc`,
  );
  const { rows, hasMore } = pageOfRows(found);
  return { rows: rows.map((row) => toTurn(row)), hasMore };
}

function fitting(project: string, filter: TurnFilter, bytes: typeof bytesOfRequest) {
  const { status, conversationId, before, limit } = filter;
  // Postgres plans a literal by how many rows have it: a rare status is found by its own index.
  const ofStatus = status ? sql`and status = ${sql.lit(status)}` : sql``;
  const rows = sql`from turns where project = ${project} and ${isVisible} and not ${isAddedItems}
    ${ofStatus}
    ${conversationId ? sql`and conversation_id = ${conversationId}` : sql``}
    ${before ? sql`and id < ${before}` : sql``}`;
  return fittingRows({ rows, key: sql`id`, direction: 'desc', limit, bytes });
}
