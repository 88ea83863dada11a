import type { KeptBatch } from './kept-batch.ts';

type Page = { limit: string | null; most: number; after: string | null };

/** Returns a page of a list, after a batch. Null if the limit is not valid, or the batch is not in the list. */
export function pageOf(
  all: KeptBatch[],
  { limit, most, after }: Page,
): { batches: KeptBatch[]; hasMore: boolean } | null {
  const size = Number(limit ?? 20);
  const start = after ? all.findIndex(({ id }) => id === after) : -1;
  const isValid = Number.isInteger(size) && size >= 1 && size <= most && (!after || start >= 0);
  if (!isValid) return null;
  const rest = all.slice(start + 1);
  return { batches: rest.slice(0, size), hasMore: rest.length > size };
}
