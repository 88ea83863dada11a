import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';

const LONGEST_MS = 2_000;

/** The policy by which any master of a Redis may evict keys now; null for none, or if no master shows it. */
export async function findEviction(redis: Redis | Cluster): Promise<string | null> {
  const masters = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const policies = await Promise.all(
    masters.map((master) => Promise.race([policyOf(master), sleep(LONGEST_MS, null, { ref: false })])),
  );
  return policies.find(evicts) ?? null;
}

/** What an operator reads of a Redis that evicts keys. */
export function evictionSentence(name: string, policy: string): string {
  return `${name} evicts keys (maxmemory-policy ${policy}), which loses and doubles jobs. Set maxmemory-policy to noeviction.`;
}

/** Reads the `maxmemory-policy`. Returns `refused` if Redis refuses the credentials, and null if it hides the setting. */
export function policyOf(redis: Redis): Promise<string | null> {
  return redis.config('GET', 'maxmemory-policy').then(
    (reply) => (reply as string[])[1] ?? null,
    (error: Error) => (/^(?:NOAUTH|WRONGPASS)/.test(error.message) ? 'refused' : null),
  );
}

/** Whether a Redis with this policy may evict keys. */
export function evicts(policy: string | null): boolean {
  return policy !== null && policy !== 'noeviction' && policy !== 'refused';
}
