import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { isId } from '#core/id.ts';
import { queryInteger } from './fields/query-number.ts';

/** The query of every list: `cursor` is the last page's `next_cursor`. */
export const PageQuery = z.object({
  cursor: z.string().optional().describe('The `next_cursor` of the page before.'),
  limit: queryInteger({ min: 1, max: 100 }).default(20).describe('The maximum number of items on a page.'),
});

/** Presents a page of a list that was read with one row more than its size. */
export function pageOf<Row extends { id: string }, Item>(rows: Row[], limit: number, present: (row: Row) => Item) {
  return fullPage({ rows: rows.slice(0, limit), hasMore: rows.length > limit }, present);
}

/** Presents a page of a list that was read by available room. */
export function fullPage<Row extends { id: string }, Item>(
  { rows, hasMore }: { rows: Row[]; hasMore: boolean },
  present: (row: Row) => Item,
) {
  return {
    object: 'list' as const,
    data: rows.map((row) => present(row)),
    has_more: hasMore,
    next_cursor: hasMore ? (rows.at(-1)?.id ?? null) : null,
  };
}

/** Presents a list with a single page. */
export function wholeList<Item>(data: Item[]) {
  return { object: 'list' as const, data, has_more: false, next_cursor: null };
}

/** Returns the start of a page. Refuses a cursor that no list returned. */
export function readCursor(
  prefix: 'conv' | 'turn' | 'dlv' | 'whe' | 'sched' | 'batch' | 'agent',
  cursor: string | undefined,
): { before?: string } {
  if (cursor === undefined) return {};
  if (isId(prefix, cursor)) return { before: cursor };
  throw new RequestRefused(
    400,
    'invalid_value',
    'Give the next_cursor of the page before, or omit `cursor`.',
    'cursor',
  );
}

/** Returns the schema of a page of a list. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item).describe('The items of this page.'),
    has_more: z.boolean().describe('Whether another page follows.'),
    next_cursor: z.string().nullable().describe('The cursor of the next page. Null if no page follows.'),
  });
}
