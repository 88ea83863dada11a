import { z } from 'zod';

/** The options of `web_search`. */
const WebSearch = z.strictObject({
  type: z.literal(['web_search', 'web_search_2025_08_26']),
  external_web_access: z.boolean().optional(),
  filters: z.strictObject({ allowed_domains: z.array(z.string()).nullish() }).nullish(),
  search_context_size: z.enum(['low', 'medium', 'high']).optional(),
  user_location: z
    .strictObject({
      type: z.literal('approximate').optional(),
      ...{ city: z.string().nullish(), country: z.string().nullish() },
      ...{ region: z.string().nullish(), timezone: z.string().nullish() },
    })
    .nullish(),
});

const CodeInterpreter = z.strictObject({
  type: z.literal('code_interpreter'),
  container: z.union([
    z.string().min(1),
    z.strictObject({
      type: z.literal('auto'),
      file_ids: z.array(z.string()).optional(),
      memory_limit: z.enum(['1g', '4g', '16g', '64g']).nullish(),
      network_policy: z.json().optional(),
    }),
  ]),
  allowed_callers: z.array(z.enum(['direct', 'programmatic'])).nullish(),
});

const FileSearch = z.strictObject({
  type: z.literal('file_search'),
  vector_store_ids: z.array(z.string()).min(1),
  filters: z.json().optional(),
  max_num_results: z.int().min(1).max(50).optional(),
  ranking_options: z.json().optional(),
});

const ImageGeneration = z.strictObject({
  type: z.literal('image_generation'),
  action: z.enum(['generate', 'edit', 'auto']).optional(),
  background: z.enum(['transparent', 'opaque', 'auto']).optional(),
  input_fidelity: z.enum(['high', 'low']).nullish(),
  input_image_mask: z.json().optional(),
  model: z.string().optional(),
  moderation: z.enum(['auto', 'low']).optional(),
  output_compression: z.int().min(0).max(100).optional(),
  output_format: z.enum(['png', 'webp', 'jpeg', 'gif', 'svg']).optional(),
  partial_images: z.int().min(0).max(3).optional(),
  quality: z.enum(['low', 'medium', 'high', 'xhigh', 'max', 'auto']).optional(),
  size: z.string().optional(),
});

/** The tools that the server runs, with the options of OpenAI. Other types and options are rejected. */
export const HOSTED_TOOLS = [WebSearch, CodeInterpreter, FileSearch, ImageGeneration] as const;
type HostedTool = z.output<(typeof HOSTED_TOOLS)[number]>;

/** Returns the name of a hosted tool in a script. */
export function hostedTypeOf({ type }: HostedTool): string {
  switch (type) {
    case 'web_search':
    case 'web_search_2025_08_26':
      return 'web_search';
    case 'code_interpreter':
      return 'code_execution';
    default:
      return type;
  }
}
