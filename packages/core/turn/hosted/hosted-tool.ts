import { z } from 'zod';
import { Json } from '../request/json.ts';

/** The kinds of tools that a provider runs on its own servers. */
export const HOSTED_TYPES = ['web_search', 'web_fetch', 'code_execution', 'file_search', 'image_generation'] as const;
export type HostedType = (typeof HOSTED_TYPES)[number];

/** A tool that the provider runs. `options` has the fields of the provider's own wire. */
export const HostedTool = z
  .strictObject({
    type: z.enum(HOSTED_TYPES).describe('The kind of tool. `GET /v1/models` lists the kinds of each provider.'),
    options: z
      .record(z.string(), Json)
      .nullish()
      .describe('Fields for the tool, in the names of the provider. They are sent unchanged.'),
  })
  .meta({
    id: 'HostedTool',
    description: 'A tool that the provider runs. Workers do not run its calls.',
    examples: [{ type: 'web_search' }, { type: 'file_search', options: { vector_store_ids: ['vs_1'] } }],
  });
export type HostedTool = z.output<typeof HostedTool>;

/** The capability that each kind of hosted tool needs, or null. */
export const CAPABILITY_OF = {
  web_search: 'network',
  web_fetch: 'network',
  code_execution: 'shell',
  file_search: 'database',
  image_generation: null,
} as const satisfies Record<HostedType, string | null>;

/** Returns whether a tool of a request is a hosted tool. */
export function isHosted(tool: string | { type: string }): tool is HostedTool {
  return typeof tool !== 'string' && HOSTED_TYPES.some((type) => type === tool.type);
}
