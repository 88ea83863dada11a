import { connect, type Socket } from 'node:net';

/** Where a server listens, as postgres.js says it. */
export type Address = { host: string[]; port: number[]; path?: string | false };

/** How long a connection may be silent, idle or in the middle of an answer. */
export const SILENCE_MS = 20_000;

/**
 * A socket to Postgres that is closed after a long silence, idle or in the middle of an answer. A network that loses
 * bytes without closing connections is then an error within seconds, and never a query that hangs for good. The socket
 * is returned while it still connects: postgres.js must see a failed connect itself, or it loses that connection for
 * good.
 */
export function openSocket({ host, port, path }: Address, silenceMs = SILENCE_MS): Socket {
  const socket = path ? connect({ path }) : connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  return socket.setTimeout(silenceMs, () => socket.destroy());
}
