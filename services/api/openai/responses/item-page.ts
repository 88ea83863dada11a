import { z } from '@hono/zod-openapi';
import { RequestRefused } from '#core/failure.ts';
import { queryInteger } from '../../schemas/fields/query-number.ts';

type Item = { id: string };

/** The query of a page: its order with a default, its size, and the item before it. */
export function pageQuery(order: 'asc' | 'desc', about: string) {
  return {
    order: z.enum(['asc', 'desc']).default(order).describe(about),
    limit: queryInteger({ min: 1, max: 100 }).default(20).describe('The size of a page.'),
    after: z.string().optional().describe('The `last_id` of the page before.'),
  };
}

/** Shows a page of the items that are left (contract-responses R3). `hasMore`: there are items after these, too. */
export function itemPage<I extends Item>(
  items: readonly I[],
  { limit, hasMore = false }: { limit: number; hasMore?: boolean },
) {
  const data = items.slice(0, limit);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return { object: 'list' as const, data, ...ends, has_more: hasMore || items.length > limit };
}

/** Returns the items after one of them, or all if `after` is absent. Refuses an `after` that is not among them. */
export function itemsAfter<I extends Item>(after: string | undefined, items: readonly I[]): I[] {
  const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw notInList();
  return items.slice(start);
}

/** The refusal of an `after` that is no item of the list. */
export function notInList(): RequestRefused {
  return new RequestRefused(400, 'invalid_value', 'Give the last_id of the page before, or none.', 'after');
}
