/**
 * Returns the moment `ms` milliseconds ago, in milliseconds since 1970. A negative number gives a future moment. It
 * dates the rows and requests of a test. No test measures with it.
 */
export function msAgo(ms: number): number {
  return Date.now() - ms;
}

/** Returns such a moment in the format of a request. */
export function isoAgo(ms: number): string {
  return new Date(msAgo(ms)).toISOString();
}
