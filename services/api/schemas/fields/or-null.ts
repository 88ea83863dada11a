import { z } from 'zod';

/** Returns a named schema or null. With `.nullable()`, the document would require that null also matches the schema. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.null()]);
}
