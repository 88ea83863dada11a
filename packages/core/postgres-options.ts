import { openSocket } from './open-socket.ts';

/** How every connection to Postgres is bounded; one that failed is tried again within half a second, however often. */
export const POSTGRES_OPTIONS = {
  connect_timeout: 5,
  backoff: () => 0.1 + Math.random() * 0.4,
  onnotice: () => {},
  // postgres.js takes a socket of ours, although its types do not say so.
  ...({ socket: openSocket } as object),
};
