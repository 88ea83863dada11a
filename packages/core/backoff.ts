/**
 * Returns the milliseconds until the next try after `failures` (from 1): doubled with each failure, `longestMs` at
 * most.
 */
export function exponentialBackoffMs(
  failures: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}

/** Returns `ms` times a random factor in a range, so that attempts that failed together are not repeated together. */
export function jitterMs(ms: number, [least, most]: readonly [number, number], random = Math.random): number {
  return ms * (least + (most - least) * random());
}
