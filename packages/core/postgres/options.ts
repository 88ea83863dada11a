/**
 * The bounds of every connection to Postgres. A failed connect is retried within half a second, however often it fails.
 */
export const POSTGRES_OPTIONS = {
  connect_timeout: 5,
  backoff: () => 0.1 + Math.random() * 0.4,
  onnotice: () => {},
};
