import { inject } from 'vitest';

/** The wires a promise has to hold on; Redis says in its name why it is left out where it is. */
export function wires(): { name: string; redis: boolean; skip: boolean }[] {
  const hasRedis = inject('redisUrl') !== null;
  return [
    { name: 'the wire on Postgres', redis: false, skip: false },
    {
      name: hasRedis ? 'the wire on Redis' : 'the wire on Redis (left out: no Redis here)',
      redis: true,
      skip: !hasRedis,
    },
  ];
}
