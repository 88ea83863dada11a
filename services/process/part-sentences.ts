import type { TableLock } from '#core/checkpoint/table-lock.ts';
import { explainConnectionLimit, NO_CONNECTION_LEFT } from '#core/connection-limit.ts';
import type { StoreStatus } from '#core/queue/job-queue.ts';
import { evictionSentence } from '#core/queue/redis/eviction.ts';

/**
 * The parts that a process depends on. `disk` is the disk of the database, `worker` any worker, and `tools` the
 * offered tools, which workers must load.
 */
export const PARTS = ['database', 'disk', 'queue', 'worker', 'tools'] as const;

export type Part = (typeof PARTS)[number];

/** The stores: an embedded PostgreSQL or a PostgreSQL at DATABASE_URL, with or without Redis. */
export type Deployment = { embedded: boolean; redis: boolean };

type About = { code: string | null; deployment: Deployment };

/** The code of a probe that got no answer in time, and no refusal. */
export const NO_ANSWER = 'no answer in 3 s';

const TOO_MANY_CONNECTIONS = '53300';
const READ_ONLY = '25006';

/** The errors of a Redis that answers and refuses writes: no memory, no disk, a replica, no permission. */
export const REDIS_REFUSALS: ReadonlySet<string> = new Set(['OOM', 'MISCONF', 'READONLY', 'NOPERM']);

/** Returns the operator's sentence about a part that is away: its variable, the effect, and advice. */
export function outageSentence(part: Exclude<Part, 'tools'>, { code, deployment }: About): string {
  const why = code === null ? '' : ` (${code})`;
  const postgres = deployment.embedded ? 'The embedded PostgreSQL in PAWL_DATA_DIR' : 'PostgreSQL at DATABASE_URL';
  switch (part) {
    case 'database':
      return databaseSentence(postgres, { code, deployment });
    case 'disk':
      return `The disk of ${lowerFirst(postgres)} is full${why}. Free some disk space. Turns then continue automatically.`;
    case 'queue':
      if (deployment.redis && code !== null && REDIS_REFUSALS.has(code))
        return `Redis at REDIS_URL refuses jobs${why}. Check its log. Pawl accepts turns and starts them when Redis takes jobs again.`;
      if (deployment.redis)
        return `Redis at REDIS_URL cannot be reached${why}. Check that it runs. Pawl accepts turns and starts them when Redis is back.`;
      return `The queue on ${lowerFirst(postgres)} does not answer${why}. Pawl accepts turns and starts them when the queue is back.`;
    case 'worker':
      return 'No worker is running. Start a worker with npm run worker.';
  }
}

function databaseSentence(postgres: string, { code, deployment }: About): string {
  const why = code === null ? '' : ` (${code})`;
  if (code === TOO_MANY_CONNECTIONS) return NO_CONNECTION_LEFT.postgres;
  if (code === READ_ONLY)
    return `${postgres} accepts no writes${why}. Promote a standby. Turns then continue automatically.`;
  if (code === NO_ANSWER)
    return `${postgres} is slow${why}: it is overloaded, or this process or the network is. Add CPU or reduce the load.`;
  if (deployment.embedded)
    return `${postgres} does not answer${why}. Pawl restarts it. Turns then continue automatically.`;
  return `${postgres} cannot be reached${why}. Check that it runs. Turns continue automatically when it is back.`;
}

/** Returns the operator's sentence about a database that refuses statements for any values. */
export function unusableSentence({ embedded }: Deployment, code: string | null): string {
  const postgres = embedded ? 'The embedded PostgreSQL in PAWL_DATA_DIR' : 'PostgreSQL at DATABASE_URL';
  return (
    `${postgres} refuses statements of Pawl (${code}). Check the privileges of the role, and that the schema belongs to ` +
    'this version. Steps wait until then.'
  );
}

/** Returns the operator's sentence about a session that locks a table, and how to end the session. */
export function lockSentence({ embedded }: Deployment, { table, pid, application, seconds }: TableLock): string {
  const postgres = embedded ? 'the embedded PostgreSQL in PAWL_DATA_DIR' : 'PostgreSQL at DATABASE_URL';
  const session = application === '' ? `Session ${pid}` : `Session ${pid} (${application})`;
  return (
    `${session} of ${postgres} has locked the table ${table} for ${seconds} s. Wait for it, or end it with ` +
    `select pg_terminate_backend(${pid}).`
  );
}

const MOST_NAMES = 5;

/** Returns the operator's sentence about offered tools that no worker has loaded. `mcp:<name>` is an MCP server. */
export function lackingSentence(tools: string[]): string {
  const named = tools.slice(0, MOST_NAMES).join(', ');
  const more = tools.length > MOST_NAMES ? ` and ${tools.length - MOST_NAMES} more` : '';
  return `No running worker has loaded ${named}${more}. Turns that call these tools wait. Start workers with the same PAWL_TOOLS and PAWL_MCP.`;
}

/** Returns the operator's sentence about one Redis, or null if it is well. */
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
        return `${name} has no free connection for this process. Raise maxclients. Turns use the other Redis until then.`;
      if (code !== null && REDIS_REFUSALS.has(code))
        return `${name} refuses jobs${why}. Check its log. Turns use the other Redis until then.`;
      return `${name} cannot be reached${why}. Check that it runs. Turns use the other Redis until then.`;
    }
  }
}

/** Returns the code of an error. Redis has it in the first word of its message. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  return 'code' in error ? String(error.code) : (/^[A-Z]{3,}(?= )/.exec(error.message)?.[0] ?? null);
}

/** The operator's sentences about parts that are back. */
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
