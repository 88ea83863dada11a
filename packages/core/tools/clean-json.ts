import { cleanText } from '../text.ts';

/**
 * A copy of a value from outside that JSON, Postgres and every wire can hold.
 * Throws what `JSON.stringify` throws: for cycles, bigints and bottomless nesting.
 */
export function cleanJson(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? null : clean(JSON.parse(text));
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), clean(inner)]));
}
