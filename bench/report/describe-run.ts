import { availableParallelism, cpus, loadavg } from 'node:os';
import type { BenchHarness } from '../open-harness.ts';
import type { Options } from '../read-options.ts';
import { CALLS } from '../work.ts';

/** What is measured, when, on which machine, and what its figures are worth. */
export function describeRun(
  { postgres, redis }: BenchHarness,
  { scenario, turns, concurrency, tries, rounds }: Options,
) {
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`;
  return [
    `${scenario}, ${new Date().toISOString().slice(0, 10)}. A turn, where nothing else is said: ` +
      `${rounds} rounds, ${rounds - 1} batches of ${CALLS.length} tools, a model over HTTP that takes 0 ms.`,
    `${turns} turns, ${concurrency} at a time, ${scenario === 'against' ? `${tries} groups in alternation` : `median of ${tries}`}.`,
    `Node ${process.version}, PostgreSQL ${postgres.version} (fsync and synchronous_commit on), ${redisLine(redis)}.`,
    `All of it shares ${cores}; load average before the start ${loadavg()[0]?.toFixed(2)}. Only the ratios count.`,
  ].join('\n');
}

function redisLine(redis: BenchHarness['redis']): string {
  if (!redis) return 'no Redis (set REDIS_URL or put redis-server on the PATH), so nothing on Redis is measured';
  return redis.pid
    ? `Redis ${redis.version} (AOF everysec, noeviction)`
    : `Redis ${redis.version} at REDIS_URL, its CPU not counted`;
}
