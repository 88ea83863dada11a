import { describe, inject } from 'vitest';

type Backend = { name: string; redis: boolean };

const POSTGRES: Backend = { name: 'BullMQ on Postgres', redis: false };
const REDIS: Backend = { name: 'BullMQ on Redis', redis: true };
const LEFT_OUT = ' (left out: no Redis here)';

/**
 * Describes a suite on the queue of the run: Redis if the run has a Redis, else PostgreSQL. CI has a run of each
 * kind. The pubsub is on the same store.
 */
export function describeQueue(suite: (backend: Backend) => void): void {
  const backend = hasRedis() ? REDIS : POSTGRES;
  describe(backend.name, () => suite(backend));
}

/** Describes a suite on each queue, for commands that CI runs once, such as `npm run restarts`. */
export function describeQueues(suite: (backend: Backend) => void): void {
  describe(POSTGRES.name, () => suite(POSTGRES));
  describeIfRedis(REDIS.name, () => suite(REDIS));
}

/** Describes a suite for Redis only. Without a Redis the suite is skipped, with the reason in its name. */
export function describeOnRedis(suite: () => void): void {
  describeIfRedis('Redis alone', suite);
}

export function queueBackends(): Backend[] {
  return hasRedis() ? [POSTGRES, REDIS] : [POSTGRES];
}

function describeIfRedis(name: string, suite: () => void): void {
  if (hasRedis()) describe(name, suite);
  else describe.skip(name + LEFT_OUT, suite);
}

function hasRedis(): boolean {
  const url: string | null | undefined = inject('redisUrl');
  if (url === undefined) throw new Error('A unit test has no queue. Remove the file from UNIT in `vitest.config.ts`.');
  return url !== null;
}
