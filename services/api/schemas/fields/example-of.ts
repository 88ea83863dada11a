import type { z } from 'zod';

/** Returns the example of a schema, for examples of schemas that contain it. */
export function exampleOf(schema: z.ZodType): Record<string, unknown> {
  const [example] = (schema.meta()?.examples ?? []) as Record<string, unknown>[];
  return { ...example };
}
