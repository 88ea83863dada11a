/**
 * Returns a moment so many milliseconds ago, in milliseconds since 1970. It dates the rows and requests of a test, and lies in
 * the future if the number is negative. No test measures with it.
 */
export function msAgo(ms: number): number {
  return Date.now() - ms;
}

/** Returns such a moment as a request names it. */
export function isoAgo(ms: number): string {
  return new Date(msAgo(ms)).toISOString();
}
