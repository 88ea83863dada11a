import { parseJson } from '../../../json.ts';
import { textIn } from '../../reply/fields.ts';
import type { BatchApi } from '../batch-api.ts';
import type { FoundBatch, UnconfirmedBatch } from '../batch-server.ts';
import { isBatchName } from './batch-path.ts';
import { jsonElements } from './json-elements.ts';

/** Pages to read. A batch may be on a later page, so a longer list is unsure. */
const MOST_PAGES = 100;

/** A list has whole batches, with their responses. Only these fields are read. */
const LISTED = {
  paths: /^(?:nextPageToken|(?:operations|batches)\.\d+\.(?:name|(?:metadata\.)?display_?[nN]ame))$/,
  longest: 10_000,
};

/** Looks for a batch by its key, which is its display name, in the list of batches. */
export async function findBatch(api: BatchApi, { key }: UnconfirmedBatch, signal: AbortSignal): Promise<FoundBatch> {
  let token: string | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const query: Record<string, string> = { pageSize: '100', ...(token !== null && { pageToken: token }) };
    const page = await readPage(api, query, signal);
    const id = page.names.get(page.keys.get(key) ?? '');
    if (id && isBatchName(id)) return { kind: 'found', id };
    if (!page.next) return { kind: 'missing' };
    token = page.next;
  }
  return { kind: 'unsure' };
}

/** The names of batches by their places in the list, and the places by their keys. */
type Page = { names: Map<string, string>; keys: Map<string, string>; next: string | null };

async function readPage(api: BatchApi, query: Record<string, string>, signal: AbortSignal): Promise<Page> {
  const page: Page = { names: new Map(), keys: new Map(), next: null };
  for await (const { path, text } of jsonElements(api.download({ path: '/batches', query, signal }), LISTED)) {
    const [, place = ''] = path.split('.');
    const value = textIn(parseJson(text));
    if (value === null) continue;
    if (path === 'nextPageToken') page.next = value;
    else if (/\.name$/.test(path)) page.names.set(place, value);
    else page.keys.set(value, place);
  }
  return page;
}
