import { inject } from 'vitest';

/** The pubsub backends that a promise has to hold on; Redis says in its name why it is left out. */
export function pubsubBackends(): { name: string; redis: boolean; skip: boolean }[] {
  const hasRedis = inject('redisUrl') !== null;
  return [
    { name: 'pubsub on Postgres', redis: false, skip: false },
    {
      name: hasRedis ? 'pubsub on Redis' : 'pubsub on Redis (left out: no Redis here)',
      redis: true,
      skip: !hasRedis,
    },
  ];
}
