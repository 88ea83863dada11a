import { countIn, type Fields, fieldsIn, textIn } from '../../reply/fields.ts';
import type { BatchApi } from '../batch-api.ts';
import type { FoundBatch, UnconfirmedBatch } from '../batch-server.ts';
import { BATCHES_PATH } from './batch-path.ts';
import { readResults } from './read-results.ts';

/** Pages to read. A batch may be on a later page, so a longer list is unsure. */
const MOST_PAGES = 100;

/** The difference that clocks may have, and the longest time from the commit of a batch to its creation. */
const CLOCKS_MS = 300_000;
const CREATED_WITHIN_MS = 180_000;

/**
 * Looks for a batch by the time and the number of its requests. A candidate is recognized by its results. A candidate
 * without results may be the batch (R42).
 */
export async function findBatch(api: BatchApi, batch: UnconfirmedBatch, signal: AbortSignal): Promise<FoundBatch> {
  const since = batch.createdAt.getTime() - CLOCKS_MS;
  let isUnsure = false;
  for await (const page of pagesOf(api, signal)) {
    for (const candidate of page.filter((each) => mayBe(each, batch, since))) {
      const id = textIn(candidate.id) ?? '';
      const isOwn = candidate.processing_status === 'ended' ? await hasIdOf(batch, readResults(api, id, signal)) : null;
      if (isOwn) return { kind: 'found', id };
      isUnsure ||= isOwn === null;
    }
    if (isBefore(page, since)) return { kind: isUnsure ? 'unsure' : 'missing' };
  }
  return { kind: 'unsure' };
}

/** Yields the pages of the list, and an empty page at its end. */
async function* pagesOf(api: BatchApi, signal: AbortSignal): AsyncGenerator<Fields[]> {
  let after: string | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const query: Record<string, string> = { limit: '100', ...(after !== null && { after_id: after }) };
    const { data, has_more, last_id } = await api.read({ path: BATCHES_PATH, query, signal });
    const page = (Array.isArray(data) ? data : []).map((each) => fieldsIn(each) ?? {});
    if (page.length > 0) yield page;
    after = textIn(last_id) ?? textIn(page.at(-1)?.id);
    if (has_more !== true || after === null) return yield [];
  }
}

function timeOf({ created_at }: Fields): number {
  const time = Date.parse(textIn(created_at) ?? '');
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

/** Returns whether all later pages are older than a time. The newest batch is first in the list. */
function isBefore(page: Fields[], since: number): boolean {
  const times = page.map(timeOf);
  return times.every((time) => time < since) && (times[0] ?? 0) >= (times.at(-1) ?? 0);
}

const COUNTED = ['processing', 'succeeded', 'errored', 'canceled', 'expired'];

function mayBe(candidate: Fields, { ids }: UnconfirmedBatch, since: number): boolean {
  const counts = fieldsIn(candidate.request_counts) ?? {};
  const requests = COUNTED.reduce((sum, name) => sum + (countIn(counts[name]) ?? 0), 0);
  const time = timeOf(candidate);
  const isInTime = time >= since && (time <= since + 2 * CLOCKS_MS + CREATED_WITHIN_MS || !Number.isFinite(time));
  return isInTime && requests === ids.size && textIn(candidate.id) !== null;
}

/** Returns whether the first result is of this batch, or null without a result. */
async function hasIdOf({ ids }: UnconfirmedBatch, results: ReturnType<typeof readResults>): Promise<boolean | null> {
  for await (const { id } of results) return ids.has(id);
  return null;
}
