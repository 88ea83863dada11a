import { connect, type Socket } from 'node:net';

/** Where a server listens, as postgres.js says it. */
export type Address = { host: string[]; port: number[]; path?: string | false };

const SILENCE_MS = 20_000;

/** postgres.js hands on what it has as soon as it has so much, and the rest at the end of a turn of the event loop. */
const FULL_PIECE = 1024;

/**
 * A socket to Postgres that is closed after a long silence, idle or in the middle of an answer. A network that loses
 * bytes without closing connections is then an error within seconds, and never a query that hangs for good. It is given
 * out while it still connects: postgres.js must see a failed connect itself, or it would lose that connection for ever.
 */
export function openSocket({ host, port, path }: Address): Socket {
  const socket = path ? connect({ path }) : connect({ host: host[0] ?? 'localhost', port: port[0] ?? 5432 });
  gatherPieces(socket);
  return socket.setTimeout(SILENCE_MS, () => socket.destroy());
}

/** Hands the kernel full pieces together with the rest that follows them: a write costs more than what is in it. */
function gatherPieces(socket: Socket): void {
  const write = socket.write;
  const flush = () => {
    if (socket.writableCorked > 0) socket.uncork();
  };
  const gather = (...piece: [Buffer]) => {
    const isRest = piece[0].length < FULL_PIECE;
    if (!isRest && socket.writableCorked === 0) {
      socket.cork();
      // Behind the immediate that brings the rest; there may be none.
      process.nextTick(() => setImmediate(flush));
    }
    const isTaken = Reflect.apply(write, socket, piece);
    if (isRest) flush();
    return isTaken;
  };
  socket.write = gather as Socket['write'];
}
