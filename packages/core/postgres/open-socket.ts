import { connect, type Socket } from 'node:net';

/** Where a server listens, as postgres.js says it. */
export type Address = { host: string[]; port: number[]; path?: string | false };

const SILENCE_MS = 20_000;

/** postgres.js writes a chunk as soon as it has this many bytes, and the rest at the end of an event loop iteration. */
const FULL_CHUNK = 1024;

/**
 * A socket to Postgres that is closed after a long silence, idle or in the middle of an answer. A network that loses
 * bytes without closing connections is then an error within seconds, and never a query that hangs for good. The socket
 * is returned while it still connects: postgres.js must see a failed connect itself, or it loses that connection for
 * good.
 */
export function openSocket({ host, port, path }: Address): Socket {
  const socket = path ? connect({ path }) : connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  corkChunks(socket);
  return socket.setTimeout(SILENCE_MS, () => socket.destroy());
}

/** Gives the kernel full chunks together with the rest that follows: a write costs more than its bytes. */
function corkChunks(socket: Socket): void {
  const write = socket.write;
  const flush = () => {
    if (socket.writableCorked > 0) socket.uncork();
  };
  const gather = (...chunk: [Buffer]) => {
    const isRest = chunk[0].length < FULL_CHUNK;
    if (!isRest && socket.writableCorked === 0) {
      socket.cork();
      // After the immediate that writes the rest; there may be none.
      process.nextTick(() => setImmediate(flush));
    }
    const isTaken = Reflect.apply(write, socket, chunk);
    if (isRest) flush();
    return isTaken;
  };
  socket.write = gather as Socket['write'];
}
