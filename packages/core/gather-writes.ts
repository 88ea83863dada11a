import type { Writable } from 'node:stream';

/**
 * Hands the kernel in one piece what is written to a socket within one turn of the event loop: a write costs more than what
 * is in it. Pipelines of a client library do the same, with an object for each.
 */
export function gatherWrites(socket: Writable): void {
  const write = socket.write;
  const uncork = () => socket.uncork();
  const gather = (...piece: unknown[]) => {
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(uncork);
    }
    return Reflect.apply(write, socket, piece);
  };
  socket.write = gather as Writable['write'];
}
