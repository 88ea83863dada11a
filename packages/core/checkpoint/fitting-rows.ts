import { type RawBuilder, sql } from 'kysely';

/** Bytes of rows that a page has at most, unless its first row alone has more. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** What a list is made of: which rows, by which column in which order, how many of them, and how many bytes one has. */
type Listed = {
  rows: RawBuilder<unknown>;
  key: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
  limit: number;
  bytes: RawBuilder<unknown>;
};

/** One page of rows, and whether the list goes on behind it. */
export type Page<Row> = { rows: Row[]; hasMore: boolean };

/**
 * The `id` of each row that fits a page, with the number of rows `found`: one more than the page has room for says that there
 * are more. A page is bounded in bytes too, so that rows of a large size make it shorter and never too large to be sent.
 */
export function fittingRows({ rows, key, direction, limit, bytes }: Listed): RawBuilder<unknown> {
  const order = sql`order by key ${sql.raw(direction)}`;
  return sql`
    select id, found from (
      select id, count(*) over () as found, row_number() over (${order}) as place, sum(bytes) over (${order}) as bytes
      from (select id, ${key} as key, ${bytes} as bytes ${rows} ${order} limit ${limit + 1}) as candidate
    ) as ranked
    where place <= ${limit} and (place = 1 or bytes <= ${PAGE_BYTES})`;
}

/** The page that was read, each row of which says how many were `found`. */
export function pageOfRows<Row extends { found: number }>(rows: Row[]): Page<Omit<Row, 'found'>> {
  const hasMore = rows.some(({ found }) => found > rows.length);
  return { rows: rows.map(({ found: _, ...row }) => row), hasMore };
}
