import type { Writable } from 'node:stream';

/**
 * The options of every connection to Redis. A dead network must be an error and not a hang: a socket that stays silent this
 * long is closed and opened again.
 */
export const REDIS_OPTIONS = {
  connectTimeout: 5_000,
  socketTimeout: 15_000,
  retryStrategy: (times: number) => Math.min(times * 100, 2_000),
};

type Connection = { readonly stream: Writable; on(event: 'error' | 'connect', listener: () => void): unknown };

/** Leaves a connection's errors to its commands, and gathers its writes. */
export function prepareRedisConnection<Redis extends Connection>(redis: Redis): Redis {
  redis.on('error', () => {});
  redis.on('connect', () => corkWrites(redis.stream));
  return redis;
}

/**
 * Gathers the writes to a socket within one turn of the event loop into one system call, which costs more than its bytes.
 * Pipelines of a client library do the same, with an object for each.
 */
function corkWrites(socket: Writable): void {
  const write = socket.write;
  const uncork = () => socket.uncork();
  const gather = (...args: unknown[]) => {
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(uncork);
    }
    return Reflect.apply(write, socket, args);
  };
  socket.write = gather as Writable['write'];
}
