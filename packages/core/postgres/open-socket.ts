import { connect, type Socket } from 'node:net';

/** Where a server listens, as postgres.js says it. */
export type Address = { host: string[]; port: number[]; path?: string | false };

/** How long a connection may be silent, idle or in the middle of an answer. */
export const SILENCE_MS = 20_000;

/**
 * A socket that closes after a long silence, so that a lossy network is an error and not a hang. It is returned while
 * it connects: else postgres.js, which must see a failed connect itself, loses that connection for good.
 */
export function openSocket({ host, port, path }: Address, silenceMs = SILENCE_MS): Socket {
  const socket = path ? connect({ path }) : connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  return socket.setTimeout(silenceMs, () => socket.destroy());
}
