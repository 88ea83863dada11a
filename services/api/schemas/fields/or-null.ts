import { z } from 'zod';

/**
 * A named schema, or null. With `.nullable()` the document would say of null that it must also match the named schema,
 * which nothing can.
 */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.null()]);
}
