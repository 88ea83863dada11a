import { openSocket } from './open-socket.ts';

/**
 * The bounds of every connection to Postgres. A failed connect is retried within half a second, however often it fails.
 */
export const POSTGRES_OPTIONS = {
  connect_timeout: 5,
  backoff: () => 0.1 + Math.random() * 0.4,
  onnotice: () => {},
  // postgres.js takes a socket of ours, although its types do not say so.
  ...({ socket: openSocket } as object),
};
