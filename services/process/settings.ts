import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { z } from 'zod';
import { Misconfigured } from '#core/failure.ts';
import { readPooler } from '#core/postgres/hosts.ts';
import { Environment } from './settings/variables.ts';

type Env = Record<string, string | undefined>;

/** Rejects the other URLs of a database without its own URL. */
const SoundEnvironment = Environment.superRefine(({ DATABASE_URL, ...others }, issues) => {
  if (DATABASE_URL) return;
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'] as const)
    if (others[name]) issues.addIssue({ code: 'custom', path: [name], message: 'requires DATABASE_URL, so set both' });
});

/**
 * The settings of a process (docs/configuration.md). `variables` is the whole environment, from which providers read
 * their own variables by name.
 */
export type Settings = z.output<typeof Environment> & { variables: Env };

/**
 * Reads the environment. No other file of a process does. An empty variable counts as absent. Throws `Misconfigured`
 * with a sentence for each invalid variable.
 */
export function readSettings(env: Env = process.env): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = SoundEnvironment.safeParse(given);
  if (parsed.success) return { ...parsed.data, variables: env };
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}.`);
  throw new Misconfigured(problems.join('\n'));
}

/**
 * Adds the variables of the file `.env` in the working directory to the environment, which takes precedence.
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
    throw new Misconfigured(`The file ${path} is not readable. Check the file, or PAWL_ENV_FILE.`);
  }
}

/**
 * Returns the URL for migrations. They lock their session, and a pooler of transactions does not keep sessions.
 * Throws `Misconfigured` if only the pooler is known.
 */
export function directUrlOf({ DATABASE_DIRECT_URL, DATABASE_URL }: Settings & { DATABASE_URL: string }): string {
  if (DATABASE_DIRECT_URL) return DATABASE_DIRECT_URL;
  if (!readPooler(DATABASE_URL).isPooled) return DATABASE_URL;
  throw new Misconfigured(
    'DATABASE_URL is a pooler (pgbouncer=true), which cannot keep the lock of a migration. ' +
      'Set DATABASE_DIRECT_URL to its PostgreSQL server.',
  );
}

/** Returns the settings of a part that needs the URL of its database. Throws `Misconfigured` without `DATABASE_URL`. */
export function requireDatabase(settings: Settings): Settings & { DATABASE_URL: string } {
  const { DATABASE_URL } = settings;
  if (DATABASE_URL) return { ...settings, DATABASE_URL };
  throw new Misconfigured(
    'DATABASE_URL is not set. Set it to a PostgreSQL, or run `npm start`, which starts a PostgreSQL itself.',
  );
}
