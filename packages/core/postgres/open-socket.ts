import { connect, type Socket } from 'node:net';

/** The address of a server, in the form of postgres.js. */
export type Address = { host: string[]; port: number[]; path?: string | false };

/** The longest silence of a connection, idle or in the middle of an answer. */
export const SILENCE_MS = 20_000;

/**
 * Opens a socket that closes after a long silence, so that a lossy network causes an error and not a hang. Returns it
 * while it connects: postgres.js must see a failed connect itself, or it loses the connection permanently.
 */
export function openSocket({ host, port, path }: Address, silenceMs = SILENCE_MS): Socket {
  const socket = path ? connect({ path }) : connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  return socket.setTimeout(silenceMs, () => socket.destroy());
}
