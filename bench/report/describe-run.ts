import { availableParallelism, loadavg } from 'node:os';
import type { Ground } from '../ground/open-ground.ts';
import type { Options } from '../read-options.ts';
import { CALLS, ROUNDS } from '../work.ts';

/** What is measured, on what, and how much its figures are worth. */
export function describeRun({ postgres, redis }: Ground, { turns, concurrency, repeat }: Options): string {
  const machine = `${availableParallelism()} cores, load average ${loadavg()[0]?.toFixed(2)} before the start`;
  return [
    `A turn: ${ROUNDS} rounds, ${ROUNDS - 1} batches of ${CALLS.length} tools, a model over HTTP that takes 0 ms.`,
    `${turns} turns, ${concurrency} at a time, median of ${repeat}.`,
    `Node ${process.version}, PostgreSQL ${postgres.version} (fsync on), ${redisLine(redis)}.`,
    `All of it shares ${machine}. Machines are noisy: only the ratios count.`,
  ].join('\n');
}

function redisLine(redis: Ground['redis']): string {
  if (!redis) return 'no Redis (set REDIS_URL or put redis-server on the PATH), so nothing on Redis is measured';
  return redis.pid
    ? `Redis ${redis.version} (AOF everysec, noeviction)`
    : `Redis ${redis.version} at REDIS_URL, its CPU not counted`;
}
