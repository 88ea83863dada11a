import { z } from '@hono/zod-openapi';
import { RequestRefused } from '#core/failure.ts';
import { queryInteger } from '../../schemas/fields/query-number.ts';

type Item = { id: string };

/** Returns the query of a page: its order with a default, its size, and the item before the page. */
export function pageQuery(order: 'asc' | 'desc', about: string) {
  return {
    order: z.enum(['asc', 'desc']).default(order).describe(about),
    limit: queryInteger({ min: 1, max: 100 }).default(20).describe('The maximum number of items on a page.'),
    after: z.string().optional().describe('The `last_id` of the page before.'),
  };
}

/** Presents a page of the remaining items. `hasMore`: further items follow. */
export function itemPage<I extends Item>(
  items: readonly I[],
  { limit, hasMore = false }: { limit: number; hasMore?: boolean },
) {
  const data = items.slice(0, limit);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return { object: 'list' as const, data, ...ends, has_more: hasMore || items.length > limit };
}

/** Returns the items after an item, or all items if `after` is absent. Refuses an `after` that is not among them. */
export function itemsAfter<I extends Item>(after: string | undefined, items: readonly I[]): I[] {
  const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw notInList();
  return items.slice(start);
}

/** Returns the refusal of an `after` that is not an item of the list. */
export function notInList(): RequestRefused {
  return new RequestRefused(400, 'invalid_value', 'Give the last_id of the page before, or omit `after`.', 'after');
}
