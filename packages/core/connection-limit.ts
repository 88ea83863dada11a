const POSTGRES_FULL = '53300';

/** The answer of Redis to a client that it disconnects at once. */
const REDIS_FULL = /max number of clients reached/i;

/** The sentences for an operator where a store has no connection left for a process. */
export const NO_CONNECTION_LEFT = {
  postgres:
    'PostgreSQL at DATABASE_URL has no connection left for this process: raise max_connections, or the CONNECTION LIMIT ' +
    'of its role or database (docs/operations.md counts what Pawl needs).',
  redis:
    'Redis at REDIS_URL has no connection left for this process: raise maxclients ' +
    '(docs/operations.md counts what Pawl needs).',
};

/** Says which limit of PostgreSQL or Redis to raise for a connection; null for any other error. */
export function explainConnectionLimit(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && error.code === POSTGRES_FULL) return NO_CONNECTION_LEFT.postgres;
  return REDIS_FULL.test(error.message) ? NO_CONNECTION_LEFT.redis : null;
}
