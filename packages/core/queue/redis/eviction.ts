import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import { Misconfigured } from '../../failure.ts';
import { openClusterConnection, openRedisConnection } from '../../redis-connection.ts';
import type { RedisUrl } from '../../redis-url.ts';

const LONGEST_MS = 2_000;

const ONCE = { connectTimeout: LONGEST_MS, commandTimeout: LONGEST_MS, retryStrategy: () => null };

type Asked = { to: RedisUrl; name: string; report: (error: unknown) => void };

/**
 * Refuses a Redis that evicts keys, or that refuses the credentials. Checks once, over connections of its own; one that is away,
 * or does not show its policy, is accepted.
 */
export async function requireNoEviction({ to, name, report }: Asked): Promise<void> {
  const policies = await policiesAt(to, report);
  if (policies.includes('refused'))
    throw new Misconfigured(`${name} refused the user or password. Check both in REDIS_URL.`);
  const policy = policies.find(evicts);
  if (policy) throw new Misconfigured(evictionSentence(name, policy));
}

/**
 * The policy by which a Redis may evict keys now; null for none, and where it does not show it. It is that of the master behind
 * Sentinels, and of any master of a cluster: each may be another one than at the start.
 */
export async function findEviction(redis: Redis | Cluster): Promise<string | null> {
  const masters = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const policies = await Promise.all(
    masters.map((master) => Promise.race([policyOf(master), unknownAfter(LONGEST_MS)])),
  );
  return policies.find(evicts) ?? null;
}

/** What an operator reads of a Redis that evicts keys. */
export function evictionSentence(name: string, policy: string): string {
  return `${name} evicts keys (maxmemory-policy ${policy}), which loses and doubles jobs. Set maxmemory-policy to noeviction.`;
}

/** What the Redis, or each master of a cluster, does when its memory is full. */
async function policiesAt(to: RedisUrl, report: (error: unknown) => void): Promise<(string | null)[]> {
  const redis = openRedisConnection(to, { ...ONCE, sentinelRetryStrategy: () => null }).on('error', report);
  const policy = await policyOf(redis);
  redis.disconnect();
  if (to.kind !== 'cluster' || policy === 'refused') return [policy];
  const cluster = openClusterConnection(to, { ...ONCE, lazyConnect: true }, { clusterRetryStrategy: () => null });
  await Promise.race([cluster.connect().catch(() => {}), unknownAfter(LONGEST_MS)]);
  const policies = await Promise.all(cluster.nodes('master').map(policyOf));
  cluster.disconnect();
  return policies;
}

function policyOf(redis: Redis): Promise<string | null> {
  return redis.config('GET', 'maxmemory-policy').then(
    (reply) => (reply as string[])[1] ?? null,
    (error: Error) => (/^(?:NOAUTH|WRONGPASS)/.test(error.message) ? 'refused' : null),
  );
}

function evicts(policy: string | null): boolean {
  return policy !== null && policy !== 'noeviction' && policy !== 'refused';
}

function unknownAfter(ms: number): Promise<null> {
  return sleep(ms, null, { ref: false });
}
