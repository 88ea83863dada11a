import { z } from 'zod';

/** A field that may be missing. A value of another type counts as missing: a reply must not fail for it. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().catch(null);
}

/** A text, of the same kind. */
export const lenientText = lenient(z.string());

/** A number, of the same kind. */
export const lenientNumber = lenient(z.number());

/** A place among others. Some servers write it as a text. */
export const lenientIndex = z.coerce.number().int().min(0).nullish().catch(null);

/** A word or an id. Some servers write it as a number. */
export const lenientWord = z
  .union([z.string(), z.number()])
  .transform((word) => String(word))
  .nullish()
  .catch(null);
