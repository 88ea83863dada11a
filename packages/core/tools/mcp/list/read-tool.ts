import { z } from 'zod';

/** A tool as a server lists it. A field of an odd type counts as missing, except for the name. */
const ListedTool = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown(),
  annotations: z
    .looseObject({
      title: z.string().optional().catch(undefined),
      readOnlyHint: z.boolean().optional().catch(undefined),
      idempotentHint: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export type ListedTool = z.output<typeof ListedTool>;

/** Reads a tool of a list; null if it has no name. */
export function readTool(tool: unknown): ListedTool | null {
  return ListedTool.safeParse(tool).data ?? null;
}
