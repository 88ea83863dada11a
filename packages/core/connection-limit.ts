const POSTGRES_FULL = '53300';

/** The answer of Redis to a client that it disconnects immediately. */
const REDIS_FULL = /max number of clients reached/i;

/** The sentences for an operator if a store has no connection left for a process. */
export const NO_CONNECTION_LEFT = {
  postgres:
    'PostgreSQL at DATABASE_URL has no free connection for this process. Raise max_connections, or the CONNECTION LIMIT ' +
    'of its role or database (docs/sizing.md has the number that Pawl needs).',
  redis:
    'Redis at REDIS_URL has no free connection for this process. Raise maxclients ' +
    '(docs/sizing.md has the number that Pawl needs).',
};

/** Returns the limit of PostgreSQL or Redis to raise for a connection, as a sentence, or null for any other error. */
export function explainConnectionLimit(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && error.code === POSTGRES_FULL) return NO_CONNECTION_LEFT.postgres;
  return REDIS_FULL.test(error.message) ? NO_CONNECTION_LEFT.redis : null;
}
