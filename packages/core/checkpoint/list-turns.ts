import { sql } from 'kysely';
import type { ListedTurn, Turn, TurnStatus } from '../turn/turn.ts';
import type { Db } from './database.ts';
import { fittingRows, type Page, pageOfRows } from './fitting-rows.ts';
import {
  bytesOfRequest,
  bytesOfRounds,
  type ListedAsRead,
  selectListed,
  selectWhole,
  type TurnAsRead,
  toListed,
  toTurn,
} from './select-turns.ts';

export type TurnFilter = { status?: TurnStatus; conversationId?: string; before?: string; limit: number };

/** A page of a project's turns, newest first, without what their rounds say; `before` is the last id of the page before. */
export async function listTurns(db: Db, project: string, filter: TurnFilter): Promise<Page<ListedTurn>> {
  const page = fitting(project, filter, bytesOfRequest);
  const { rows } = await sql<ListedAsRead & { found: number }>`
    with page as materialized (${page})
    select ${selectListed}, found::int from page join turns using (id) order by id desc`.execute(db);
  const { rows: read, hasMore } = pageOfRows(rows);
  return { rows: read.map(toListed), hasMore };
}

/** The same with all that their rounds hold. */
export async function listWholeTurns(db: Db, project: string, filter: TurnFilter): Promise<Page<Turn>> {
  const page = fitting(project, filter, sql`${bytesOfRequest} + ${bytesOfRounds}`);
  const { rows } = await sql<TurnAsRead & { found: number }>`
    with page as materialized (${page})
    select ${selectWhole}, found::int from page join turns using (id) order by id desc`.execute(db);
  const { rows: read, hasMore } = pageOfRows(rows);
  return { rows: read.map((row) => toTurn(row)), hasMore };
}

function fitting(project: string, filter: TurnFilter, bytes: typeof bytesOfRequest) {
  const { status, conversationId, before, limit } = filter;
  // A literal is planned by how many have it: where nearly all have another, its own index is taken.
  const ofStatus = status ? sql`and status = ${sql.lit(status)}` : sql``;
  const rows = sql`from turns where project = ${project}
    ${ofStatus}
    ${conversationId ? sql`and conversation_id = ${conversationId}` : sql``}
    ${before ? sql`and id < ${before}` : sql``}`;
  return fittingRows({ rows, key: sql`id`, direction: 'desc', limit, bytes });
}
