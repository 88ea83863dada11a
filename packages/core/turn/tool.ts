import { z } from 'zod';
import { Json } from './json.ts';

/** What a crash or a lost answer in the middle of a call means (contract: Tool). */
export const ToolEffect = z.enum(['none', 'idempotent', 'at_most_once']);
export type ToolEffect = z.infer<typeof ToolEffect>;

/** Who runs a call. */
const ToolExecution = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('server') }),
  z.strictObject({ kind: z.literal('client') }),
  z.strictObject({
    kind: z.literal('http'),
    url: z.url({
      protocol: /^https?$/,
      error: ({ input }) => (input === undefined ? undefined : 'give an http or https URL'),
    }),
    headers: z.record(z.string(), z.string()).default({}),
  }),
  z.strictObject({ kind: z.literal('mcp'), server: z.string().min(1) }),
]);
export type ToolExecution = z.infer<typeof ToolExecution>;

const ToolRetry = z.strictObject({
  max_attempts: z.int().min(1).max(10).default(3),
  backoff_ms: z.int().min(0).max(60_000).default(500),
});

/**
 * A tool as a turn carries it: the definition the model sees and the rules Pawl runs it by.
 * The contract's naming rules are checked at submission (`tools/check-definition.ts`), not here.
 */
export const Tool = z.strictObject({
  type: z.literal('function').default('function'),
  name: z.string(),
  description: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  parameters: z
    .record(z.string(), Json)
    .nullish()
    .transform((schema) => schema ?? { type: 'object', properties: {} }),
  execution: ToolExecution.nullish().transform((execution) => execution ?? null),
  effect: ToolEffect.nullish().transform((effect) => effect ?? 'at_most_once'),
  timeout_ms: z
    .int()
    .min(1)
    .max(3_600_000)
    .nullish()
    .transform((ms) => ms ?? 30_000),
  retry: ToolRetry.nullish().transform((retry) => retry ?? { max_attempts: 3, backoff_ms: 500 }),
  approval: z
    .enum(['never', 'always'])
    .nullish()
    .transform((approval) => approval ?? 'never'),
  expires_in_seconds: z
    .int()
    .min(1)
    .nullish()
    .transform((seconds) => seconds ?? null),
  cache_ttl_seconds: z
    .int()
    .min(0)
    .nullish()
    .transform((seconds) => seconds ?? 0),
  rate_limit: z
    .strictObject({ max: z.int().min(1), per_seconds: z.int().min(1) })
    .nullish()
    .transform((limit) => limit ?? null),
  capabilities: z
    .array(z.enum(['network', 'filesystem', 'database', 'shell']))
    .nullish()
    .transform((list) => list ?? []),
  status_text: z
    .string()
    .max(200)
    .nullish()
    .transform((text) => text ?? null),
});
export type Tool = z.output<typeof Tool>;
