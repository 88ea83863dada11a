import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { Misconfigured } from '../../failure.ts';
import { openClusterConnection, openRedisConnection } from '../../redis-connection.ts';
import type { RedisUrl } from '../../redis-url.ts';
import { evictionSentence, evicts, policyOf } from './eviction.ts';

const LONGEST_MS = 2_000;

const ONCE = { connectTimeout: LONGEST_MS, commandTimeout: LONGEST_MS, retryStrategy: () => null };

/** The oldest version that BullMQ's scripts support. */
const OLDEST = { major: 6, minor: 2 };

type Asked = { to: RedisUrl; name: string; report: (error: unknown) => void };

/** Refuses a Redis that is too old, evicts keys or refuses the credentials. Accepts a Redis that does not answer. */
export async function requireRedis({ to, name, report }: Asked): Promise<void> {
  const { version, policies } = await readServer(to, report);
  if (policies.includes('refused'))
    throw new Misconfigured(`${name} refused the user or password. Check both in REDIS_URL.`);
  if (isTooOld(version))
    throw new Misconfigured(
      `${name} has version ${version}. Use Redis ${OLDEST.major}.${OLDEST.minor} or newer, or Valkey.`,
    );
  const policy = policies.find(evicts);
  if (policy) throw new Misconfigured(evictionSentence(name, policy));
}

/** Returns whether a version, such as `7.0.15`, is too old for Pawl. An unknown version counts as new. */
export function isTooOld(version: string | null): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (major === undefined) return false;
  return Number(major) < OLDEST.major || (Number(major) === OLDEST.major && Number(minor) < OLDEST.minor);
}

type Server = { version: string | null; policies: (string | null)[] };

async function readServer(to: RedisUrl, report: (error: unknown) => void): Promise<Server> {
  const redis = openRedisConnection(to, { ...ONCE, sentinelRetryStrategy: () => null }).on('error', report);
  const [version, policy] = await Promise.all([versionOf(redis), policyOf(redis)]);
  redis.disconnect();
  if (to.kind !== 'cluster' || policy === 'refused') return { version, policies: [policy] };
  const cluster = openClusterConnection(to, { ...ONCE, lazyConnect: true }, { clusterRetryStrategy: () => null });
  await Promise.race([cluster.connect().catch(() => {}), sleep(LONGEST_MS, null, { ref: false })]);
  const policies = await Promise.all(cluster.nodes('master').map(policyOf));
  cluster.disconnect();
  return { version, policies };
}

function versionOf(redis: Redis): Promise<string | null> {
  return redis.info('server').then(
    (info) => /^redis_version:(\S+)/m.exec(info)?.[1] ?? null,
    () => null,
  );
}
