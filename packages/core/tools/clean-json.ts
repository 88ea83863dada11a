import type { Redact } from '../redact.ts';
import { cleanToolText } from '../text.ts';

/**
 * A copy of a value from outside that JSON, Postgres and every wire can hold, without a known secret in it.
 * Throws what `JSON.stringify` throws: for cycles, bigints and bottomless nesting.
 */
export function cleanJson(value: unknown, redact: Redact): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? null : clean(JSON.parse(text), (inner) => cleanToolText(redact(inner)));
}

function clean(value: unknown, cleaned: (text: string) => string): unknown {
  if (typeof value === 'string') return cleaned(value);
  if (Array.isArray(value)) return value.map((inner) => clean(inner, cleaned));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleaned(key), clean(inner, cleaned)]));
}
