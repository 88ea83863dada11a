/** The bookings of the last minute: amounts by the number of their quarter of a second since 1970. */
export type Window = Record<string, number>;

const BUCKET_MS = 250;
/** A bucket counts until a minute after its end. */
const BUCKETS = 60_000 / BUCKET_MS;

/** Returns the part of a window that still counts at a time, in milliseconds since 1970. */
export function windowAt(window: Window, now: number): Window {
  const first = bucketOf(now) - BUCKETS;
  return Object.fromEntries(Object.entries(window).filter(([bucket]) => Number(bucket) >= first));
}

export function sumOf(window: Window): number {
  return Object.values(window).reduce((sum, amount) => sum + amount, 0);
}

/**
 * Returns the milliseconds until an amount fits into a window of at most `most`, or 0 if it fits now. An amount above
 * `most` fits into an empty window.
 */
export function roomInMs(window: Window, { now, most, amount }: { now: number; most: number; amount: number }): number {
  const counted = windowAt(window, now);
  let left = most - Math.min(amount, most) - sumOf(counted);
  if (left >= 0) return 0;
  for (const [bucket, booked] of Object.entries(counted).toSorted(([a], [b]) => Number(a) - Number(b))) {
    left += booked;
    if (left >= 0) return Math.max(1, (Number(bucket) + BUCKETS + 1) * BUCKET_MS - now);
  }
  return 60_000;
}

/** Returns a window with an amount added at a time. The amount may be negative. */
export function withAmount(window: Window, at: number, amount: number): Window {
  const bucket = String(bucketOf(at));
  return { ...window, [bucket]: Math.max(0, (window[bucket] ?? 0) + amount) };
}

function bucketOf(ms: number): number {
  return Math.floor(ms / BUCKET_MS);
}
