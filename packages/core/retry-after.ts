const LONGEST_MS = 86_400_000;

/** Milliseconds that a `Retry-After` header asks to wait, in seconds or as an HTTP date; undefined where it is no such thing. */
export function parseRetryAfter(text: string | null | undefined, now = Date.now()): number | undefined {
  const seconds = toNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  const date = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

/**
 * Milliseconds that the headers of a provider's answer ask to wait: `retry-after-ms`, or `retry-after`.
 * Undefined where they say nothing readable; never more than a day.
 */
export function retryAfterMs(headers: Pick<Headers, 'get'> | undefined, now = Date.now()): number | undefined {
  const ms = toNumber(headers?.get('retry-after-ms')) ?? parseRetryAfter(headers?.get('retry-after'), now);
  return ms === undefined ? undefined : Math.round(Math.min(ms, LONGEST_MS));
}

function toNumber(text: string | null | undefined): number | undefined {
  return text && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
