import type { z } from 'zod';

/** The example that a schema shows, for the examples of those that hold it. */
export function exampleOf(schema: z.ZodType): Record<string, unknown> {
  const [example] = (schema.meta()?.examples ?? []) as Record<string, unknown>[];
  return { ...example };
}
