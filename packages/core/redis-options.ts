import type { Writable } from 'node:stream';
import { gatherWrites } from './gather-writes.ts';

/**
 * How every connection to Redis is bounded. A dead network must be an error, never a hang: a socket that stays silent this
 * long is closed and opened anew.
 */
export const REDIS_OPTIONS = {
  connectTimeout: 5_000,
  socketTimeout: 15_000,
  retryStrategy: (times: number) => Math.min(times * 100, 2_000),
};

type Connection = { readonly stream: Writable; on(event: 'error' | 'connect', hear: () => void): unknown };

/** Leaves the errors of a connection to whoever asks something of it, and gathers what is written to it. */
export function tendRedis<Redis extends Connection>(redis: Redis): Redis {
  redis.on('error', () => {});
  redis.on('connect', () => gatherWrites(redis.stream));
  return redis;
}
