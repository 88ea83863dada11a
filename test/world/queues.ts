import { describe, inject } from 'vitest';

/** The queue backends a promise has to hold on; Redis says in its name why it is left out where it is. */
export function queueBackends(): { name: string; redis: boolean; skip: boolean }[] {
  const hasRedis = inject('redisUrl') !== null;
  return [
    { name: 'BullMQ on Postgres', redis: false, skip: false },
    { name: hasRedis ? 'BullMQ on Redis' : 'BullMQ on Redis (left out: no Redis here)', redis: true, skip: !hasRedis },
  ];
}

/** The same suite on each queue backend; on Redis it is skipped, and says why, where there is none. */
export function describeQueues(suite: (backend: { name: string; redis: boolean }) => void): void {
  for (const { name, redis, skip } of queueBackends()) describe.skipIf(skip)(name, () => suite({ name, redis }));
}

/** A suite of what only Redis has; skipped, and says why, where there is none. */
export function describeOnRedis(suite: () => void): void {
  for (const { name, skip } of queueBackends().filter(({ redis }) => redis)) describe.skipIf(skip)(name, suite);
}
