import { z } from 'zod';
import { Json, wholeNumber } from './json.ts';

/** The most items of a list of words that a caller chooses from. Its length is checked before its items. */
export const MAX_WORDS = 32;

/** A URL that a caller gives; each delivery shows it. */
export const httpUrl = z
  .url({
    protocol: /^https?$/,
    error: ({ input }) => (input === undefined ? undefined : 'give an http or https URL'),
  })
  .max(4_096);

/** The things that a tool may need. */
export const capabilities = z.array(z.enum(['network', 'filesystem', 'database', 'shell'])).max(MAX_WORDS);

/** What a crash or a lost answer in the middle of a call means (contract: Tool). */
export const ToolEffect = z.enum(['none', 'idempotent', 'at_most_once']);
export type ToolEffect = z.infer<typeof ToolEffect>;

/** Who runs a call. */
const ToolExecution = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('server') }).describe('A worker, in its own process.'),
  z
    .strictObject({ kind: z.literal('client') })
    .describe('The client that started the turn, which waits for its output.'),
  z
    .strictObject({
      kind: z.literal('http'),
      url: httpUrl.describe(
        'Where the arguments are posted: http or https, and a public address unless the operator allows it.',
      ),
      headers: z
        .record(z.string(), z.string())
        .default({})
        .describe(`Sent along; \${secret:name} in a value stands for a secret of the operator’s.`),
    })
    .describe('A URL that the arguments are posted to.'),
  z
    .strictObject({
      kind: z.literal('mcp'),
      server: z.string().min(1).describe('The name of one of the operator’s MCP servers.'),
    })
    .describe('An MCP server.'),
]);
export type ToolExecution = z.infer<typeof ToolExecution>;

/** In seconds: longer than any wait, and short enough for every clock. */
const ONE_YEAR = 31_536_000;

const ToolRetry = z.strictObject({
  max_attempts: wholeNumber(1, 10).describe('How often a call is tried in all; 3 by default.'),
  backoff_ms: wholeNumber(0, 60_000).describe('Milliseconds before the second try, 500 by default; then it doubles.'),
});

const RateLimit = z.strictObject({
  max: z.int().min(1).max(10_000).describe('How many calls.'),
  per_seconds: z.int().min(1).max(ONE_YEAR).describe('In how many seconds.'),
});
export type RateLimit = z.infer<typeof RateLimit>;

/** A caller's definition of a tool; the operator's or the default fills it. `define/check.ts` checks the name. */
export const GivenTool = z
  .strictObject({
    type: z.literal('function').default('function').describe('Tools are functions.'),
    name: z.string().describe('What the model calls it: small letters, digits and `_`, 64 at most, a letter first.'),
    description: z.string().nullish().describe('What it does, for the model: 10 to 500 characters.'),
    parameters: z
      .record(z.string(), Json)
      .nullish()
      .describe('The JSON Schema of the arguments, an object. No arguments by default.'),
    execution: ToolExecution.nullish().describe(
      'Who runs it. By default `server` where a server-side tool has that name, else `client`.',
    ),
    effect: ToolEffect.nullish().describe(
      'What a crash or a lost answer in the middle of a call may mean. `at_most_once` by default.',
    ),
    timeout_ms: wholeNumber(1, 3_600_000).describe('Milliseconds that one try may take; 30000 by default.'),
    retry: ToolRetry.nullish().describe(
      'How a failed call is tried again, where its effect is `none` or `idempotent`.',
    ),
    approval: z
      .enum(['never', 'always'])
      .nullish()
      .describe('Whether a person has to allow each call. `never` by default.'),
    expires_in_seconds: wholeNumber(1, ONE_YEAR).describe(
      'How long a call waits for its client or a person. Without end by default.',
    ),
    cache_ttl_seconds: wholeNumber(0, ONE_YEAR).describe(
      'For how long a result also answers equal calls of the conversation, with effect `none` only, and not for clients. 0, the default: for none.',
    ),
    rate_limit: RateLimit.nullish().describe(
      'How often the project may call it: calls beyond wait within their timeout, then fail `rate_limited`.',
    ),
    capabilities: capabilities
      .nullish()
      .describe('What it needs; a turn with `allowed_capabilities` runs no tool that needs more.'),
    status_text: z.string().max(200).nullish().describe('What to show while it runs.'),
  })
  .meta({
    id: 'Tool',
    description:
      'What the model may call, who runs it, and by which rules. A definition of an operator’s tool can only tighten its rules.',
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

/** A tool with every default filled in: the definition that the model sees, and the rules that Pawl runs it by. */
export const Tool = GivenTool.transform((given): Tool => fillTool(given));
export type Tool = Pick<GivenTool, 'type' | 'name'> & typeof DEFAULTS;

/**
 * A tool as a turn carries it. `operator` has the operator's schema and rate limit, which apply beside the caller's.
 * With `handOver` the caller answers in a later turn (contract-responses R31); `strict` is passed on
 * (contract-responses R30). `remoteName` is the name at an MCP server, if no provider takes it.
 */
export type TurnTool = Tool & {
  operator?: Partial<Pick<Tool, 'parameters'> & { rate_limit: RateLimit }>;
  handOver?: HandOver;
  strict?: boolean;
  remoteName?: string;
};

/** The tool as its caller knows it. `custom`: one argument of free text. `name` is that within its `namespace`. */
export type HandOver = { custom: boolean; namespace?: string; name?: string };

/** Fills in what a definition leaves out, from `base` or by default. */
export function fillTool(given: GivenTool, base: Omit<Tool, 'type' | 'name'> = DEFAULTS): Tool {
  const { type, name } = given;
  const retry = { ...base.retry, ...definedOf(given.retry ?? {}) };
  const tool = { ...base, ...definedOf(given), type, name, retry };
  // A cache that is the operator's goes with the effect that it was made for.
  const mayCache = tool.effect === 'none' || given.cache_ttl_seconds;
  return mayCache ? tool : { ...tool, cache_ttl_seconds: 0 };
}

type Defined<Given> = { [Key in keyof Given]?: Exclude<Given[Key], null | undefined> };

function definedOf<Given extends object>(given: Given): Defined<Given> {
  const defined = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  // What is left has a value.
  return Object.fromEntries(defined) as Defined<Given>;
}
