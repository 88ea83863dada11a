import { RequestRefused } from '#core/failure.ts';

type Item = { id: string };

/** A page of items, of those that are left, as OpenAI's lists have it (contract-responses R3); `hasMore`: beyond them too. */
export function itemPage<I extends Item>(
  items: readonly I[],
  { limit, hasMore = false }: { limit: number; hasMore?: boolean },
) {
  const data = items.slice(0, limit);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return { object: 'list' as const, data, ...ends, has_more: hasMore || items.length > limit };
}

/** The items behind one of them; all where none is named. An `after` that is not among them is refused. */
export function itemsAfter<I extends Item>(after: string | undefined, items: readonly I[]): I[] {
  const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) throw notInList();
  return items.slice(start);
}

/** The refusal of an `after` that is no item of the list. */
export function notInList(): RequestRefused {
  return new RequestRefused(400, 'invalid_value', 'Give the last_id of the page before, or none.', 'after');
}
