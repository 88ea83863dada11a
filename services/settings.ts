import { z } from 'zod';
import { Misconfigured } from '#core/failure.ts';

type Env = Record<string, string | undefined>;

const number = (fallback: number, min: number) => z.coerce.number().int().min(min).default(fallback);

const Settings = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: number(8080, 0).pipe(z.number().max(65_535)),
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
  PAWL_MAX_CONNECTIONS: number(10_000, 1),
  PAWL_MAX_STREAMS: number(1_000, 1),
  PAWL_WORKER_CONCURRENCY: number(64, 1),
  PAWL_TOOL_OUTPUT_LIMIT: number(65_536, 1),
  PAWL_TOOL_RULES: z.enum(['strict', 'provider']).default('strict'),
  PAWL_EGRESS_ALLOW: z.string().default(''),
  PAWL_TOOLS: z.string().optional(),
  PAWL_MCP: z.string().optional(),
  PAWL_LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
  PAWL_MODEL_TIMEOUT_MS: number(600_000, 1),
  PAWL_SHUTDOWN_GRACE_MS: number(10_000, 0),
});

/** What the environment asks for; the contract's table of variables. */
export type Settings = z.output<typeof Settings>;

/** Reads the environment; an empty variable counts as absent. What cannot work is named with its variable. */
export function readSettings(env: Env): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Settings.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Misconfigured(`The environment cannot be used. ${problems.join('; ')}.`);
}
