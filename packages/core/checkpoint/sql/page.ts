import { type RawBuilder, sql } from 'kysely';

/** The maximum bytes of a page's rows, unless its first row alone has more. */
export const PAGE_BYTES = 4 * 1024 * 1024;

/** A list: its rows, the column and direction of their order, the size of a page, and the bytes of a row. */
type Listed = {
  rows: RawBuilder<unknown>;
  key: RawBuilder<unknown>;
  direction: 'asc' | 'desc';
  limit: number;
  bytes: RawBuilder<unknown>;
};

export type Page<Row> = { rows: Row[]; hasMore: boolean };

/**
 * Selects the `id` of each row that fits a page, with the number of rows `found`. If more are found, the list
 * continues. The limit in bytes makes a page of large rows shorter, so that it can always be sent.
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

/** Returns the page of the rows. Each row says how many rows were `found`. */
export function pageOfRows<Row extends { found: number }>(rows: Row[]): Page<Omit<Row, 'found'>> {
  const hasMore = rows.some(({ found }) => found > rows.length);
  return { rows: rows.map(({ found: _, ...row }) => row), hasMore };
}
