/** Milliseconds until the next try after `failures` (from 1): doubled with each, `longestMs` at most. */
export function exponentialBackoffMs(
  failures: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}

/** `ms` times a random factor in a range, so that what failed together is not repeated together. */
export function jitterMs(ms: number, [least, most]: readonly [number, number], random = Math.random): number {
  return ms * (least + (most - least) * random());
}
