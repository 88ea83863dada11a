import { isDeepStrictEqual } from 'node:util';
import type { Observed } from './observe.ts';

/**
 * Returns the faults of rounds by batch. Each request is in one batch, each round has one request, and all usage is
 * counted once. At the end no row, batch or file is left, except the files of batches that the process was creating
 * when it died. No batch ran with them, and they expire. A turn has one request at a time, in one batch.
 */
export function findBatchFaults({ batches, batchRows, usage }: Observed, undisturbed: Observed): string[] {
  const expected = undisturbed.batches.requests.flat().length;
  const mostUnused = undisturbed.turns.length;
  if (expected === 0) return [];
  const ids = batches.requests.flat();
  const { left, usedFiles, unusedFiles } = batches;
  return [
    ...(new Set(ids).size < ids.length ? [`a request is in two batches: ${JSON.stringify(batches.requests)}`] : []),
    ...(new Set(ids).size === expected ? [] : [`${new Set(ids).size} requests in batches instead of ${expected}`]),
    ...(batchRows > 0 ? [`${batchRows} rows of batches are left`] : []),
    ...(left.length > 0 ? [`${left.length} batches are left at the model`] : []),
    ...(usedFiles > 0 ? [`${usedFiles} files of batches are left`] : []),
    ...(unusedFiles > mostUnused ? [`${unusedFiles} files without a batch are left`] : []),
    ...(isDeepStrictEqual(usage, undisturbed.usage)
      ? []
      : [`usage: ${JSON.stringify(usage)} instead of ${JSON.stringify(undisturbed.usage)}`]),
  ];
}
