import { countIn, fieldsIn, textIn } from '../../reply/fields.ts';
import type { BatchApi } from '../batch-api.ts';
import type { FoundBatch, UnconfirmedBatch } from '../batch-server.ts';

/** Pages to read. A batch may be on a later page, so a longer list is unsure. */
const MOST_PAGES = 100;

/** The difference that clocks may have. */
const CLOCKS_S = 600;

/** Looks for a batch by its key in the list of batches, back to the time before its commit. */
export async function findBatch(api: BatchApi, batch: UnconfirmedBatch, signal: AbortSignal): Promise<FoundBatch> {
  const since = batch.createdAt.getTime() / 1000 - CLOCKS_S;
  let after: string | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const query: Record<string, string> = { limit: '100', ...(after !== null && { after }) };
    const { data, has_more } = await api.read({ path: '/batches', query, signal });
    const page = (Array.isArray(data) ? data : []).map((each) => fieldsIn(each) ?? {});
    const id = textIn(page.find(({ metadata }) => fieldsIn(metadata)?.pawl_batch === batch.key)?.id);
    if (id) return { kind: 'found', id };
    const last = textIn(page.at(-1)?.id);
    if (has_more !== true || !last || isBefore(page, since)) return { kind: 'missing' };
    after = last;
  }
  return { kind: 'unsure' };
}

/** Returns whether a page, and so all later pages, is older than a time. The newest batch is first in the list. */
function isBefore(page: Record<string, unknown>[], since: number): boolean {
  const times = page.map(({ created_at }) => countIn(created_at) ?? Number.POSITIVE_INFINITY);
  const [first = 0] = times;
  return times.every((time) => time < since) && first >= (times.at(-1) ?? 0);
}
