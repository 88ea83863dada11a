import type { TableLock } from '#core/checkpoint/table-lock.ts';
import { explainConnectionLimit, NO_CONNECTION_LEFT } from '#core/connection-limit.ts';
import type { StoreStatus } from '#core/queue/job-queue.ts';
import { evictionSentence } from '#core/queue/redis/eviction.ts';

/**
 * The parts that a process depends on. `disk` is that of the database, `worker` any worker at all, `tools` what the process offers
 * and workers have to load.
 */
export const PARTS = ['database', 'disk', 'queue', 'worker', 'tools'] as const;

export type Part = (typeof PARTS)[number];

/** Where the stores are: an embedded PostgreSQL or one at DATABASE_URL; with Redis or without. */
export type Deployment = { embedded: boolean; redis: boolean };

type About = { code: string | null; deployment: Deployment };

/** The code of a probe that got no answer in time, although nothing has refused it. */
export const NO_ANSWER = 'no answer in 3 s';

const TOO_MANY_CONNECTIONS = '53300';
const READ_ONLY = '25006';

/** The errors of a Redis that answers and takes no writes: no memory, no disk, a replica, no permission. */
export const REDIS_REFUSALS: ReadonlySet<string> = new Set(['OOM', 'MISCONF', 'READONLY', 'NOPERM']);

/** What an operator reads of a part that is away: its variable, what follows from it, and what to do. */
export function outageSentence(part: Exclude<Part, 'tools'>, { code, deployment }: About): string {
  const why = code === null ? '' : ` (${code})`;
  const postgres = deployment.embedded ? 'The embedded PostgreSQL in PAWL_DATA_DIR' : 'PostgreSQL at DATABASE_URL';
  switch (part) {
    case 'database':
      return databaseSentence(postgres, { code, deployment });
    case 'disk':
      return `The disk of ${lowerFirst(postgres)} is full${why}. Free space there; turns go on by themselves.`;
    case 'queue':
      if (deployment.redis && code !== null && REDIS_REFUSALS.has(code))
        return `Redis at REDIS_URL takes no jobs${why}. Look into its log; turns are accepted and start once it does.`;
      if (deployment.redis)
        return `Redis at REDIS_URL cannot be reached${why}. Check that it runs; turns are accepted and start once it is back.`;
      return `The queue on ${lowerFirst(postgres)} does not answer${why}. Turns are accepted and start once it does.`;
    case 'worker':
      return 'No worker is running. Start one with npm run worker.';
  }
}

function databaseSentence(postgres: string, { code, deployment }: About): string {
  const why = code === null ? '' : ` (${code})`;
  if (code === TOO_MANY_CONNECTIONS) return NO_CONNECTION_LEFT.postgres;
  if (code === READ_ONLY)
    return `${postgres} takes no writes${why}. Promote a standby; turns go on by themselves then.`;
  if (code === NO_ANSWER)
    return `${postgres} is slow${why}: it is overloaded, or this process or the network is. Give it more CPU or less load.`;
  if (deployment.embedded) return `${postgres} does not answer${why}. It is started again; turns go on by themselves.`;
  return `${postgres} cannot be reached${why}. Check that it runs; turns go on by themselves once it is back.`;
}

/** What an operator reads of a database that refuses statements whatever their values are. */
export function unfitSentence({ embedded }: Deployment, code: string | null): string {
  const postgres = embedded ? 'The embedded PostgreSQL in PAWL_DATA_DIR' : 'PostgreSQL at DATABASE_URL';
  return (
    `${postgres} refuses statements of Pawl (${code}). Check that its schema is that of this version, and the privileges ` +
    'of the role; steps wait until then.'
  );
}

/** Returns the sentence that tells an operator which session locks a table, and how to end it. */
export function lockSentence({ embedded }: Deployment, { table, pid, application, seconds }: TableLock): string {
  const postgres = embedded ? 'the embedded PostgreSQL in PAWL_DATA_DIR' : 'PostgreSQL at DATABASE_URL';
  const session = application === '' ? `Session ${pid}` : `Session ${pid} (${application})`;
  return (
    `${session} of ${postgres} has locked the table ${table}, for ${seconds} s by now. Wait for it, or end it with ` +
    `select pg_terminate_backend(${pid}).`
  );
}

const MOST_NAMES = 5;

/** What an operator reads of tools that this process offers and no worker has loaded; `mcp:<name>` is an MCP server. */
export function lackingSentence(tools: string[]): string {
  const named = tools.slice(0, MOST_NAMES).join(', ');
  const more = tools.length > MOST_NAMES ? ` and ${tools.length - MOST_NAMES} more` : '';
  return `No running worker has loaded ${named}${more}: turns that call them wait. Start workers with the same PAWL_TOOLS and PAWL_MCP.`;
}

/** What an operator reads of one Redis; null where it is well. */
export function storeSentence(status: StoreStatus): string | null {
  const name = `Redis at ${status.address} in REDIS_URL`;
  switch (status.kind) {
    case 'well':
      return null;
    case 'evicts':
      return evictionSentence(name, status.policy);
    case 'away': {
      const code = codeOf(status.error);
      const why = code === null ? '' : ` (${code})`;
      if (explainConnectionLimit(status.error))
        return `${name} has no connection left for this process. Raise maxclients; turns go by the others meanwhile.`;
      if (code !== null && REDIS_REFUSALS.has(code))
        return `${name} takes no jobs${why}. Look into its log; turns go by the others meanwhile.`;
      return `${name} cannot be reached${why}. Check that it runs; turns go by the others meanwhile.`;
    }
  }
}

/** Redis says in the first word of its message what Postgres and the network say in a code. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  return 'code' in error ? String(error.code) : (/^[A-Z]{3,}(?= )/.exec(error.message)?.[0] ?? null);
}

/** What an operator reads when a part is back. */
export const RECOVERY_SENTENCES: Record<Part, string> = {
  database: 'PostgreSQL is back.',
  disk: 'The disk of PostgreSQL has space again.',
  queue: 'The queue is back.',
  worker: 'A worker is running.',
  tools: 'Workers have loaded all tools.',
};

function lowerFirst(text: string): string {
  return text.replace(/^The /, 'the ');
}
