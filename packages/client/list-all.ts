import { type Api, ask } from './ask.ts';
import type { ListOptions } from './connect-pawl.ts';
import type { ApiRequest } from './make-exchange.ts';

type Page<Item> = { data: Item[]; next_cursor: string | null };

/** All items of a list, page after page as they are taken. */
export async function* listAll<Item>(
  api: Api,
  { path, query }: Pick<ApiRequest, 'path' | 'query'>,
  { cursor, limit, ...options }: ListOptions,
): AsyncGenerator<Item, void, undefined> {
  let from: string | null | undefined = cursor;
  do {
    const page: Page<Item> = await ask(api, { path, query: { ...query, cursor: from, limit } }, options);
    yield* page.data;
    from = page.next_cursor;
  } while (from !== null);
}
