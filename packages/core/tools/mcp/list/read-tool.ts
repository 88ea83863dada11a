import { z } from 'zod';
import { isRecord, jsonObject } from '../../../json.ts';

/** A tool in a server's list. A field of a wrong type counts as missing, except for the name. */
const ListedTool = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  outputSchema: z.unknown().optional(),
  execution: z
    .looseObject({ taskSupport: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
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

const KEY = 'pawl/listed';
const WrappedTool = z.looseObject({ _meta: z.looseObject({ [KEY]: z.unknown().optional() }) });

/**
 * Wraps a tool of a list in a tool that the SDK takes.
 * - Why: the SDK refuses a whole list for one broken tool.
 * - Gain: `readTool` reads each tool separately.
 * - Ends when the SDK reads lists tool by tool.
 */
export function wrapTool(tool: unknown): unknown {
  return { name: 'wrapped', inputSchema: { type: 'object' }, _meta: { [KEY]: tool } };
}

/** Reads a wrapped tool of a list, or returns null if it has no name. */
export function readTool(wrapped: unknown): ListedTool | null {
  const tool = WrappedTool.safeParse(wrapped).data?._meta[KEY];
  const listed = ListedTool.safeParse(tool).data;
  return listed ? { ...listed, inputSchema: schemaOf(listed) } : null;
}

/** Returns the schema of a tool. Some servers have it in the field of another protocol, or as JSON in a text. */
function schemaOf({ inputSchema, input_schema, parameters }: ListedTool): unknown {
  const schema = inputSchema ?? [input_schema, parameters].find(isRecord);
  return typeof schema === 'string' ? (jsonObject(schema) ?? undefined) : schema;
}
