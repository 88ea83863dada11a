import { describe, inject } from 'vitest';

/** The queue backends that a promise is tested on; without a Redis, that one's name says why it is left out. */
export function queueBackends(): { name: string; redis: boolean; skip: boolean }[] {
  const hasRedis = inject('redisUrl') !== null;
  return [
    { name: 'BullMQ on Postgres', redis: false, skip: false },
    { name: hasRedis ? 'BullMQ on Redis' : 'BullMQ on Redis (left out: no Redis here)', redis: true, skip: !hasRedis },
  ];
}

/** The same suite on each queue backend; skipped on Redis, with the reason in its name, where there is none. */
export function describeQueues(suite: (backend: { name: string; redis: boolean }) => void): void {
  for (const { name, redis, skip } of queueBackends()) describe.skipIf(skip)(name, () => suite({ name, redis }));
}

/** A suite for Redis alone; skipped, with the reason in its name, where there is none. */
export function describeOnRedis(suite: () => void): void {
  for (const { name, skip } of queueBackends().filter(({ redis }) => redis)) describe.skipIf(skip)(name, suite);
}
