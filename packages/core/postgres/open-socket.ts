import { connect, type Socket } from 'node:net';

/** The options of every connection to PostgreSQL. A failed connect is always retried within half a second. */
export const POSTGRES_OPTIONS = {
  connect_timeout: 5,
  // Parameters and results are JSON and never arrays, so no connection needs the types of arrays.
  fetch_types: false,
  backoff: () => 0.1 + Math.random() * 0.4,
  onnotice: () => {},
};

/** The address of a server, in the form of postgres.js. */
export type Address = { host: string[]; port: number[]; path?: string | false };

/** The longest silence of a connection, idle or in the middle of an answer. */
export const SILENCE_MS = 20_000;

/** A silence after which a socket closes, unless `mayClose` returns false. */
export type Silence = { afterMs: number; mayClose?(): boolean };

/**
 * Opens a socket that closes after a long silence, so that a lossy network causes an error and not a hang. Returns it
 * while it connects: postgres.js must see a failed connect itself, or it loses the connection permanently.
 */
export function openSocket({ host, port, path }: Address, silence?: Silence): Socket {
  const socket = path ? connect({ path }) : connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  return closeWhenSilent(socket, silence);
}

export function closeWhenSilent(socket: Socket, { afterMs, mayClose = () => true }: Silence = WHEN_SILENT): Socket {
  return socket.setTimeout(afterMs, () => {
    if (mayClose()) socket.destroy();
  });
}

const WHEN_SILENT: Silence = { afterMs: SILENCE_MS };
