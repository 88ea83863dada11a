import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { Misconfigured } from '#core/failure.ts';
import { parseJson } from '#core/json.ts';
import { formProblem, hostListProblem, readPooler, targetProblem } from '#core/postgres/hosts.ts';
import { parseRedisUrls } from '#core/redis-url.ts';

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

/** Days above 0, also a part of one. */
const days = z
  .string()
  .trim()
  .regex(/^\d{1,5}(\.\d{1,9})?$/, 'give days as a number above 0, or leave it out to keep turns for ever')
  .transform(Number)
  .pipe(z.number().positive('give days as a number above 0, or leave it out to keep turns for ever'))
  .optional();

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

/** One Redis, Sentinels or the nodes of a cluster; or several of these. */
const redisUrl = z.string().superRefine((given, context) => {
  const read = parseRedisUrls(given);
  if (read.kind === 'wrong') context.addIssue(read.advice);
});

/** The URL of the API as clients have it, without a slash at its end. */
const publicUrl = z
  .string()
  .trim()
  .refine((given) => {
    const url = URL.parse(given);
    return url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username;
  }, 'give the URL of the API as clients have it, such as https://example.com/pawl')
  .transform((given) => given.replace(/\/+$/, ''))
  .default('');

/** One server, or several. */
const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must start with postgres://')
  .superRefine(refuseBy(hostListProblem))
  .superRefine(refuseBy(formProblem));

function refuseBy(problemOf: (url: string) => string | null) {
  return (url: string, issues: z.RefinementCtx) => {
    const problem = problemOf(url);
    if (problem) issues.addIssue({ code: 'custom', message: problem });
  };
}

const Settings = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: number(8080, 0, 65_535),
  PAWL_PUBLIC_URL: publicUrl,
  DATABASE_URL: databaseUrl.superRefine(refuseBy(targetProblem)).optional(),
  DATABASE_DIRECT_URL: databaseUrl
    .superRefine(refuseBy(targetProblem))
    .refine((url) => !readPooler(url).isPooled, 'has to lead past the pooler, so leave pgbouncer=true out of it')
    .optional(),
  DATABASE_READ_URL: databaseUrl.optional(),
  REDIS_URL: redisUrl.optional(),
  PAWL_DATA_DIR: z.string().default('.pawl'),
  PAWL_API_KEYS: z.string().optional(),
  PAWL_PROJECTS: z.string().optional(),
  PAWL_WEBHOOK_SECRET: z.string().optional(),
  PAWL_SECRETS: z.string().optional(),
  PAWL_MAX_CONNECTIONS: number(10_000, 1, 1_000_000),
  PAWL_MAX_STREAMS: number(1_000, 1, 1_000_000),
  PAWL_BODY_LIMIT: number(8 * 1024 * 1024, 1, 2 ** 30),
  PAWL_WORKER_CONCURRENCY: number(64, 1, 10_000),
  PAWL_HISTORY_LIMIT: number(0, 1, 2 ** 28)
    .unwrap()
    .optional(),
  PAWL_TOOL_OUTPUT_LIMIT: number(65_536, 1, 2 ** 30),
  PAWL_TOOL_RULES: oneOf('strict', 'provider'),
  PAWL_DEFAULT_PROVIDER: z.string().trim().optional(),
  PAWL_PROVIDER_LIMITS: z.string().optional(),
  PAWL_PRICES: z.string().optional(),
  PAWL_MODEL_ALIASES: modelAliases,
  PAWL_UNSUPPORTED_TOOLS: oneOf('refuse', 'ignore'),
  PAWL_EGRESS_ALLOW: z.string().default(''),
  PAWL_EGRESS_PROXY: oneOf('environment', 'none'),
  PAWL_TOOLS: z.string().optional(),
  PAWL_MCP: z.string().optional(),
  PAWL_TRACE_CONTENT: z
    .enum(['0', '1'], 'give 1 or 0')
    .default('0')
    .transform((given) => given === '1'),
  PAWL_METRICS_KEY: z.string().trim().optional(),
  PAWL_METRICS_PORT: number(0, 0, 65_535).unwrap().optional(),
  PAWL_LOG_LEVEL: oneOf('info', 'silent', 'error', 'warn', 'debug'),
  PAWL_LOG_FORMAT: z.enum(['text', 'json'], 'give one of text, json').optional(),
  PAWL_MODEL_TIMEOUT_MS: number(600_000, 1, LONGEST_TIMER_MS),
  PAWL_FALLBACK_AFTER_MS: number(10_000, 0, DAY_MS),
  PAWL_FLEX_IDLE_TIMEOUT_MS: number(900_000, 1, LONGEST_TIMER_MS),
  PAWL_FLEX_WAIT_MS: number(21_600_000, 0, 365 * DAY_MS),
  PAWL_RETENTION_DAYS: days,
  PAWL_RETENTION_SWEEP_MS: number(60_000, 10, DAY_MS),
  PAWL_SHUTDOWN_GRACE_MS: number(10_000, 0, DAY_MS),
});

/** The ways past and beside a database say nothing without the way to it. */
const SoundSettings = Settings.superRefine(({ DATABASE_URL, ...others }, issues) => {
  if (DATABASE_URL) return;
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'] as const)
    if (others[name]) issues.addIssue({ code: 'custom', path: [name], message: 'goes with DATABASE_URL, so set both' });
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
  const parsed = SoundSettings.safeParse(given);
  if (parsed.success) return { ...parsed.data, variables: env };
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}.`);
  throw new Misconfigured(problems.join('\n'));
}

/**
 * Adds the variables of the file `.env` in the working directory to the environment, which wins over the file.
 * `PAWL_ENV_FILE` names another file. Returns the file and the names of the variables that it added.
 */
export function loadEnvFile(env: Env = process.env): { path: string; added: string[] } {
  const path = env.PAWL_ENV_FILE || '.env';
  if (!env.PAWL_ENV_FILE && !existsSync(path)) return { path, added: [] };
  const added = Object.entries(readEnvFile(path)).filter(([name]) => env[name] === undefined);
  for (const [name, value] of added) env[name] = value;
  return { path, added: added.map(([name]) => name) };
}

function readEnvFile(path: string): Env {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch {
    throw new Misconfigured(`The file ${path} cannot be read. Check the file, or PAWL_ENV_FILE.`);
  }
}

/** Variables with other readers: the file of variables, providers, the command line and the demo. */
const READ_ELSEWHERE = [
  'PAWL_ENV_FILE',
  'PAWL_PROVIDERS',
  'PAWL_MODEL_IDLE_TIMEOUT_MS',
  'PAWL_MODEL_TIMEOUT_LIMIT_MS',
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

/** Where migrations run: they hold a lock of their session, which no pooler of transactions keeps. */
export function directUrlOf({ DATABASE_DIRECT_URL, DATABASE_URL }: Settings & { DATABASE_URL: string }): string {
  if (DATABASE_DIRECT_URL) return DATABASE_DIRECT_URL;
  if (!readPooler(DATABASE_URL).isPooled) return DATABASE_URL;
  throw new Misconfigured(
    'DATABASE_URL leads through a pooler (pgbouncer=true), where no migration can hold its lock. ' +
      'Set DATABASE_DIRECT_URL to the PostgreSQL behind it.',
  );
}

/** The settings of a part that shares its database with others, and so needs its address. */
export function requireDatabase(settings: Settings): Settings & { DATABASE_URL: string } {
  const { DATABASE_URL } = settings;
  if (DATABASE_URL) return { ...settings, DATABASE_URL };
  throw new Misconfigured(
    'DATABASE_URL is not set. Point it at a PostgreSQL, or run `npm start`, which brings its own.',
  );
}
