import type { ApiRequest } from './exchange.ts';
import type { ListOptions, SearchFilter } from './pawl.ts';
import { type Api, requestJson } from './request-json.ts';

type Page<Item> = { data: Item[]; next_cursor: string | null };

/** Yields all items of a list. Requests each page when it is needed. */
export async function* listAll<Item>(
  api: Api,
  { path, query }: Pick<ApiRequest, 'path' | 'query'>,
  { cursor, limit, ...options }: ListOptions,
): AsyncGenerator<Item, void, undefined> {
  let from: string | null | undefined = cursor;
  do {
    const page: Page<Item> = await requestJson(api, { path, query: { ...query, cursor: from, limit } }, options);
    yield* page.data;
    from = page.next_cursor;
  } while (from !== null);
}

/** Splits options into the query of a list and the options of the call. */
export function searchQuery({ model, metadata = {}, q, createdAfter, createdBefore, ...options }: SearchFilter) {
  const pairs = Object.entries(metadata).map(([key, value]) => [`metadata[${key}]`, value]);
  const query = { model, q, created_after: createdAfter, created_before: createdBefore, ...Object.fromEntries(pairs) };
  return { query, options };
}
