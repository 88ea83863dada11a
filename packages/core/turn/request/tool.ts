import { z } from 'zod';
import { Json, wholeNumber } from './json.ts';

/** The most items of a list of words that a caller chooses from. Its length is checked before its items. */
export const MAX_WORDS = 32;

/** A URL from a caller. Each delivery shows it. */
export const httpUrl = z
  .url({
    protocol: /^https?$/,
    error: ({ input }) => (input === undefined ? undefined : 'give an http or https URL'),
  })
  .max(4_096);

export const capabilities = z.array(z.enum(['network', 'filesystem', 'database', 'shell'])).max(MAX_WORDS);

/** The side effect of a call, which decides whether Pawl may repeat the call after a crash or a lost answer. */
export const ToolEffect = z.enum(['none', 'idempotent', 'at_most_once']);
export type ToolEffect = z.infer<typeof ToolEffect>;

const ToolExecution = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('server') }).describe('A worker runs the call in its own process.'),
  z
    .strictObject({ kind: z.literal('client') })
    .describe('The client runs the call, and the turn waits for its output.'),
  z
    .strictObject({
      kind: z.literal('http'),
      url: httpUrl.describe(
        'The URL that receives the arguments: http or https, with a public address unless the operator allows others.',
      ),
      headers: z
        .record(z.string(), z.string())
        .default({})
        .describe(`Headers of the request. \${secret:name} in a value inserts a secret of the operator.`),
    })
    .describe('A worker posts the arguments to a URL.'),
  z
    .strictObject({
      kind: z.literal('mcp'),
      server: z.string().min(1).describe('The name of an MCP server of the operator.'),
    })
    .describe('An MCP server runs the call.'),
]);
export type ToolExecution = z.infer<typeof ToolExecution>;

/** In seconds: longer than any wait, and within the range of every clock. */
const ONE_YEAR = 31_536_000;

const ToolRetry = z.strictObject({
  max_attempts: wholeNumber(1, 10).describe('Attempts of a call, 3 by default.'),
  backoff_ms: wholeNumber(0, 60_000).describe(
    'Milliseconds before the second attempt, 500 by default. The pause doubles with each attempt.',
  ),
});

const RateLimit = z.strictObject({
  max: z.int().min(1).max(10_000).describe('The maximum number of calls.'),
  per_seconds: z.int().min(1).max(ONE_YEAR).describe('The seconds that the maximum applies to.'),
});
export type RateLimit = z.infer<typeof RateLimit>;

/**
 * A caller's definition of a tool. The operator's definition or the defaults fill it. `define/check.ts` checks the
 * name.
 */
export const GivenTool = z
  .strictObject({
    type: z.literal('function').default('function').describe('All tools are functions.'),
    name: z
      .string()
      .describe('The name of the tool: 1 to 64 lower-case letters, digits and `_`, beginning with a letter.'),
    description: z.string().nullish().describe('A description of the tool for the model, 10 to 500 characters.'),
    parameters: z
      .record(z.string(), Json)
      .nullish()
      .describe('The JSON Schema of the arguments, which must be an object. No arguments by default.'),
    execution: ToolExecution.nullish().describe(
      'How the tool runs. Default: `server` if the operator has a tool of that name, otherwise `client`.',
    ),
    effect: ToolEffect.nullish().describe(
      'The side effect of a call, which decides whether Pawl may repeat a call after a crash. `at_most_once` by default.',
    ),
    timeout_ms: wholeNumber(1, 3_600_000).describe('Timeout of one attempt in milliseconds, 30000 by default.'),
    retry: ToolRetry.nullish().describe('Retries of a failed call, if its effect is `none` or `idempotent`.'),
    approval: z
      .enum(['never', 'always'])
      .nullish()
      .describe('Whether a person must approve each call. `never` by default.'),
    expires_in_seconds: wholeNumber(1, ONE_YEAR).describe(
      'Seconds that a call waits for its client or a person. No limit by default.',
    ),
    cache_ttl_seconds: wholeNumber(0, ONE_YEAR).describe(
      'Seconds for which a result also answers equal calls of the conversation. 0 (default) turns this off. Requires effect `none`. Not allowed for client tools.',
    ),
    rate_limit: RateLimit.nullish().describe(
      'The maximum rate of calls in the project. Further calls wait within their timeout, then fail with `rate_limited`.',
    ),
    capabilities: capabilities
      .nullish()
      .describe(
        'The capabilities that the tool uses. A turn with `allowed_capabilities` runs only tools within these capabilities.',
      ),
    status_text: z.string().max(200).nullish().describe('The text to show while the tool runs.'),
  })
  .meta({
    id: 'Tool',
    description:
      'A tool that the model may call: its arguments, its execution and its rules. A definition of an operator’s tool can only tighten the rules.',
    examples: [
      {
        name: 'get_weather',
        description: 'Get the current weather of a city.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        execution: { kind: 'http', url: 'https://example.com/weather' },
        effect: 'none',
      },
    ],
  });
export type GivenTool = z.output<typeof GivenTool>;

const DEFAULTS = {
  description: '',
  parameters: { type: 'object', properties: {} } as NonNullable<GivenTool['parameters']>,
  execution: null as ToolExecution | null,
  effect: 'at_most_once' as ToolEffect,
  timeout_ms: 30_000,
  retry: { max_attempts: 3, backoff_ms: 500 },
  approval: 'never' as 'never' | 'always',
  expires_in_seconds: null as number | null,
  cache_ttl_seconds: 0,
  rate_limit: null as RateLimit | null,
  capabilities: [] as NonNullable<GivenTool['capabilities']>,
  status_text: null as string | null,
};

/** A tool with its defaults: the definition that the model sees, and the rules for its calls. */
export const Tool = GivenTool.transform((given): Tool => fillTool(given));
export type Tool = Pick<GivenTool, 'type' | 'name'> & typeof DEFAULTS;

/**
 * A tool as a turn stores it. `operator` has the operator's schema and rate limit, which apply in addition to the
 * caller's. With `handOver` the caller answers in a later turn. `strict` is passed on to the provider. `remoteName`
 * is the name at an MCP server, if no provider accepts that name.
 */
export type TurnTool = Tool & {
  operator?: Partial<Pick<Tool, 'parameters'> & { rate_limit: RateLimit }>;
  handOver?: HandOver;
  strict?: boolean;
  remoteName?: string;
};

/** The tool as its caller names it. `custom`: one argument of free text. `name` is the name within its `namespace`. */
export type HandOver = { custom: boolean; namespace?: string; name?: string };

/** Fills the omitted fields of a definition from `base` or the defaults. */
export function fillTool(given: GivenTool, base: Omit<Tool, 'type' | 'name'> = DEFAULTS): Tool {
  const { type, name } = given;
  const retry = { ...base.retry, ...definedOf(given.retry ?? {}) };
  const tool = { ...base, ...definedOf(given), type, name, retry };
  // The cache of the operator's definition applies only to its own effect.
  const mayCache = tool.effect === 'none' || given.cache_ttl_seconds;
  return mayCache ? tool : { ...tool, cache_ttl_seconds: 0 };
}

type Defined<Given> = { [Key in keyof Given]?: Exclude<Given[Key], null | undefined> };

function definedOf<Given extends object>(given: Given): Defined<Given> {
  const defined = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  // The remaining entries have a value.
  return Object.fromEntries(defined) as Defined<Given>;
}
