import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';

const LONGEST_MS = 2_000;

/** Returns the policy by which any master of a Redis may evict keys now, or null if none may or no master shows it. */
export async function findEviction(redis: Redis | Cluster): Promise<string | null> {
  const masters = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const policies = await Promise.all(
    masters.map((master) => Promise.race([policyOf(master), sleep(LONGEST_MS, null, { ref: false })])),
  );
  return policies.find(evicts) ?? null;
}

export function evictionSentence(name: string, policy: string): string {
  return `${name} evicts keys (maxmemory-policy ${policy}), so jobs may be lost or run twice. Set maxmemory-policy to noeviction.`;
}

/** Returns the `maxmemory-policy`, `refused` if Redis refuses the credentials, or null if it hides the setting. */
export function policyOf(redis: Redis): Promise<string | null> {
  return redis.config('GET', 'maxmemory-policy').then(
    (reply) => (reply as string[])[1] ?? null,
    (error: Error) => (/^(?:NOAUTH|WRONGPASS)/.test(error.message) ? 'refused' : null),
  );
}

export function evicts(policy: string | null): boolean {
  return policy !== null && policy !== 'noeviction' && policy !== 'refused';
}
