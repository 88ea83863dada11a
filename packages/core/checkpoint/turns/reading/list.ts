import { type RawBuilder, sql } from 'kysely';
import { read } from '../../../postgres/read-write.ts';
import type { ListedTurn, Turn } from '../../../turn/turn.ts';
import { findTurnIds, newestTurns } from '../../search/find-turns.ts';
import { isSearch } from '../../search/search-query.ts';
import type { TurnFilter } from '../../search/turn-filter.ts';
import { listed } from '../../sql/listed.ts';
import { fittingRows, type Page, pageOfRows } from '../../sql/page.ts';
import type { Db } from '../../tables.ts';
import { bytesOfRequest, bytesOfRounds } from './bytes.ts';
import { type ListedAsRead, selectListed, selectWhole, type TurnAsRead, toListed, toTurn } from './select.ts';

/** The filter and size of a page. `before` is the last id of the previous page. */
export type TurnPage = TurnFilter & { before?: string; limit: number };

/** Lists a page of a project's turns, newest first, without the texts of their rounds. */
export async function listTurns(db: Db, project: string, page: TurnPage): Promise<Page<ListedTurn>> {
  const { rows, hasMore } = await readPage<ListedAsRead & Found>(db, project, {
    ...page,
    columns: selectListed,
    bytes: bytesOfRequest,
  });
  return { rows: rows.map(toListed), hasMore };
}

/** Lists the same page with whole turns. */
export async function listWholeTurns(db: Db, project: string, page: TurnPage): Promise<Page<Turn>> {
  const bytes = sql`${bytesOfRequest} + ${bytesOfRounds}`;
  const { rows, hasMore } = await readPage<TurnAsRead & Found>(db, project, { ...page, columns: selectWhole, bytes });
  return { rows: rows.map((row) => toTurn(row)), hasMore };
}

type Found = { found: number };

type Shown = TurnPage & { columns: RawBuilder<unknown>; bytes: RawBuilder<unknown> };

async function readPage<Row extends Found>(
  db: Db,
  project: string,
  { columns, bytes, ...page }: Shown,
): Promise<Page<Omit<Row, 'found'>>> {
  const { limit } = page;
  const ids = isSearch(page) ? await findTurnIds(db, project, { ...page, limit: limit + 1 }) : null;
  const rows = sql`from (${ids ? listed(ids) : newestTurns(project, { ...page, limit: limit + 1 })}) as found (turn)
    cross join lateral (select * from turn_states as turns where turns.id = found.turn offset 0) as turns`;
  const fitting = fittingRows({ rows, key: sql`id`, direction: 'desc', limit, bytes });
  const query = sql<Row>`
    with page as materialized (${fitting})
    select ${columns}, found::int from page join turn_states as turns using (id) order by id desc`;
  const found = await read(db, query);
  const { rows: shown, hasMore } = pageOfRows(found);
  // Some of the found turns may be deleted by now, but the list continues.
  return { rows: shown, hasMore: hasMore || (shown.length > 0 && ids !== null && ids.length > limit) };
}
