import type { ApiRequest } from './exchange.ts';
import type { ListOptions } from './pawl.ts';
import { type Api, requestJson } from './request-json.ts';

type Page<Item> = { data: Item[]; next_cursor: string | null };

/** All items of a list; pages are requested as they are needed. */
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
