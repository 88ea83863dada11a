import { z } from 'zod';

/** A named schema, or null. `.nullable()` would say in the document that null must also match the schema. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.null()]);
}
