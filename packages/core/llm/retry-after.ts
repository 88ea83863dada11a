const LONGEST_MS = 86_400_000;

/**
 * How long a provider asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date.
 * Undefined where it says nothing readable; never more than a day.
 */
export function retryAfterMs(headers: Headers | undefined, now = Date.now()): number | undefined {
  const exact = toNumber(headers?.get('retry-after-ms'));
  if (exact !== undefined) return bound(exact);

  const text = headers?.get('retry-after');
  const seconds = toNumber(text);
  if (seconds !== undefined) return bound(seconds * 1000);

  const date = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : bound(date - now);
}

function toNumber(text: string | null | undefined): number | undefined {
  return text && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

function bound(ms: number): number {
  return Math.round(Math.min(Math.max(ms, 0), LONGEST_MS));
}
