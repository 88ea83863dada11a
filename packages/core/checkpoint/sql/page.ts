import { type RawBuilder, sql } from 'kysely';

/** Bytes of rows that a page has at most, unless its first row alone has more. */
export const PAGE_BYTES = 4 * 1024 * 1024;

/** A list: its rows, the column and direction of their order, how many make a page, and the bytes of one. */
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
 * The `id` of each row that fits a page, with the number of rows `found`. Where that is more, the list goes on. A page
 * is bounded in bytes too, so that large rows make it shorter, and never too large to be sent.
 */
export function fittingRows({ rows, key, direction, limit, bytes }: Listed): RawBuilder<unknown> {
  const order = sql`order by key ${sql.raw(direction)}`;
  return sql`
    select id, found from (
      select id, count(*) over () as found, row_number() over (${order}) as position, sum(bytes) over (${order}) as bytes
      from (select id, ${key} as key, ${bytes} as bytes ${rows} ${order} limit ${limit + 1}) as candidate
    ) as ranked
    where position <= ${limit} and (position = 1 or bytes <= ${PAGE_BYTES})`;
}

/** The page that was read, each row of which says how many were `found`. */
export function pageOfRows<Row extends { found: number }>(rows: Row[]): Page<Omit<Row, 'found'>> {
  const hasMore = rows.some(({ found }) => found > rows.length);
  return { rows: rows.map(({ found: _, ...row }) => row), hasMore };
}
