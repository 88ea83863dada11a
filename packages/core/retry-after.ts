const LONGEST_MS = 86_400_000;

/**
 * Returns the wait in milliseconds from `retry-after-ms` or `retry-after`, a day at most, or undefined if it is
 * unreadable.
 */
export function retryAfterMs(headers: Pick<Headers, 'get'> | undefined, now = Date.now()): number | undefined {
  const ms = toNumber(headers?.get('retry-after-ms')) ?? parseRetryAfter(headers?.get('retry-after'), now);
  return ms === undefined ? undefined : Math.ceil(Math.min(ms, LONGEST_MS));
}

function parseRetryAfter(text: string | null | undefined, now: number): number | undefined {
  const seconds = toNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

function toNumber(text: string | null | undefined): number | undefined {
  return text && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
