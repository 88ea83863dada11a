import { z } from 'zod';

/** A field that may be missing. A value of another type counts as missing: a reply must not fail for it. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().catch(null);
}

/** A field of which any value is read by a function. One function costs less than a chain of schemas, and is called often. */
function read<Value>(by: (value: unknown) => Value) {
  return z.unknown().transform(by).optional();
}

/** A text, of the same kind. */
export const lenientText = read((value) => (typeof value === 'string' ? value : null));

/** A number, of the same kind. */
export const lenientNumber = read((value) => (typeof value === 'number' && Number.isFinite(value) ? value : null));

/** A place among others. Some servers write it as a text. */
export const lenientIndex = read((value) => {
  const index = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : null;
});

/** A word or an id. Some servers write it as a number. */
export const lenientWord = read((value) =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? value : null,
);
