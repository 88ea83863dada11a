import { Redis, type RedisOptions } from 'ioredis';
import { gatherWrites } from './gather-writes.ts';

/** A dead network must be an error, never a hang: a socket that stays silent this long is closed and opened anew. */
const BOUNDS = {
  connectTimeout: 5_000,
  socketTimeout: 15_000,
  retryStrategy: (times: number) => Math.min(times * 100, 2_000),
};

/** Opens a connection whose errors reach whoever asks something of it, and nobody else. */
export function openRedis(url: string, options: Omit<RedisOptions, 'replyMapping'>): Redis {
  const redis = new Redis(url, { ...BOUNDS, ...options });
  redis.on('error', () => {});
  redis.on('connect', () => gatherWrites(redis.stream));
  return redis;
}
