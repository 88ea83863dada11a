import { z } from 'zod';
import { Misconfigured } from '#core/failure.ts';
import { parseJson } from '#core/json.ts';

type Env = Record<string, string | undefined>;

/** Node's timers end here. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const DAY_MS = 86_400_000;

/** A whole number in digits; any other value is refused in one sentence with the bounds. */
function number(fallback: number, min: number, max: number) {
  const error = `give a whole number from ${min} to ${max}`;
  return z
    .string()
    .trim()
    .regex(/^\d{1,10}$/, error)
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error))
    .default(fallback);
}

const oneOf = <Word extends string>(...words: [Word, ...Word[]]) =>
  z.enum(words, `give one of ${words.join(', ')}`).default(words[0]);

/** Names that clients have built in, each with the model that stands for it. */
const modelAliases = z
  .string()
  .transform(parseJson)
  .pipe(
    z.record(z.string(), z.string().regex(/^[A-Za-z0-9_-]+\/.+$/, 'give the model as provider/model'), {
      error: 'give JSON such as {"gpt-4o-mini":"ollama/qwen3"}, each model as provider/model',
    }),
  )
  .default({});

const Settings = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: number(8080, 0, 65_535),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
    .optional(),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, 'must start with redis:// or rediss://')
    .optional(),
  PAWL_DATA_DIR: z.string().default('.pawl'),
  PAWL_API_KEYS: z.string().optional(),
  PAWL_WEBHOOK_SECRET: z.string().optional(),
  PAWL_SECRETS: z.string().optional(),
  PAWL_MAX_CONNECTIONS: number(10_000, 1, 1_000_000),
  PAWL_MAX_STREAMS: number(1_000, 1, 1_000_000),
  PAWL_BODY_LIMIT: number(8 * 1024 * 1024, 1, 2 ** 30),
  PAWL_WORKER_CONCURRENCY: number(64, 1, 10_000),
  PAWL_TOOL_OUTPUT_LIMIT: number(65_536, 1, 2 ** 30),
  PAWL_TOOL_RULES: oneOf('strict', 'provider'),
  PAWL_DEFAULT_PROVIDER: z.string().trim().optional(),
  PAWL_PRICES: z.string().optional(),
  PAWL_MODEL_ALIASES: modelAliases,
  PAWL_UNSUPPORTED_TOOLS: oneOf('refuse', 'ignore'),
  PAWL_EGRESS_ALLOW: z.string().default(''),
  PAWL_TOOLS: z.string().optional(),
  PAWL_MCP: z.string().optional(),
  PAWL_LOG_LEVEL: oneOf('info', 'silent', 'error', 'warn', 'debug'),
  PAWL_LOG_FORMAT: z.enum(['text', 'json'], 'give one of text, json').optional(),
  PAWL_MODEL_TIMEOUT_MS: number(600_000, 1, LONGEST_TIMER_MS),
  PAWL_FALLBACK_AFTER_MS: number(10_000, 0, DAY_MS),
  PAWL_SHUTDOWN_GRACE_MS: number(10_000, 0, DAY_MS),
});

/**
 * What the environment asks for; the contract's table of variables. `variables` is the environment as it was given: of it
 * the providers read their own variables by name.
 */
export type Settings = z.output<typeof Settings> & { variables: Env };

/**
 * Reads the environment; no other file of the product does. An empty variable counts as absent. What cannot work is named
 * with its variable.
 */
export function readSettings(env: Env = process.env): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Settings.safeParse(given);
  if (parsed.success) return { ...parsed.data, variables: env };
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}.`);
  throw new Misconfigured(problems.join('\n'));
}

/** Variables with other readers: providers, the command line and the demo. */
const READ_ELSEWHERE = [
  'PAWL_PROVIDERS',
  'PAWL_MODEL_IDLE_TIMEOUT_MS',
  'PAWL_URL',
  'PAWL_API_KEY',
  'PAWL_DEMO_JOURNAL',
];

/** A sentence for each `PAWL_` variable that nothing reads, with the name that was probably meant; never a value. */
export function unknownVariables({ variables }: Pick<Settings, 'variables'>): string[] {
  const known = [...Object.keys(Settings.shape).filter((name) => name.startsWith('PAWL_')), ...READ_ELSEWHERE];
  const unknown = Object.keys(variables).filter((name) => name.startsWith('PAWL_') && !known.includes(name));
  return unknown.map((name) => {
    const [nearest = ''] = known.toSorted((one, other) => distance(one, name) - distance(other, name));
    const isNear = distance(nearest, name) <= Math.max(2, name.length / 4);
    return `${name} is no variable of Pawl's and is not read.${isNear ? ` Did you mean ${nearest}?` : ''}`;
  });
}

/** How many letters to insert, remove or change to make one word the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      const changed = (row[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** The settings of a part that shares its database with others, and so needs its address. */
export function requireDatabase(settings: Settings): Settings & { DATABASE_URL: string } {
  const { DATABASE_URL } = settings;
  if (DATABASE_URL) return { ...settings, DATABASE_URL };
  throw new Misconfigured(
    'DATABASE_URL is not set. Point it at a PostgreSQL, or run `npm start`, which brings its own.',
  );
}
