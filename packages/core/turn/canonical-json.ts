import { isShallow, jsonValue } from './json-value.ts';

/**
 * A text of JSON in one spelling: what means the same reads the same, whatever the order of its keys. A text that is no
 * JSON, or nested more than 100 levels deep, stays as it is.
 */
export function canonicalJson(text: string): string {
  return canonicalText(jsonValue(text)) ?? text;
}

/** A JSON value in that spelling; undefined where it is none, or nested more than 100 levels deep. */
export function canonicalText(value: unknown): string | undefined {
  return isShallow(value) ? JSON.stringify(sorted(value)) : undefined;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
