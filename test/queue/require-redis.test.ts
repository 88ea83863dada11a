import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { isTooOld } from '#core/queue/redis/require-redis.ts';
import { openRedis } from '#test/harness/stores/redis/open-redis.ts';

test('a Redis that may evict jobs is refused at the start with a reason', async ({ skip }) => {
  await using redis = await openRedis({ settings: { 'maxmemory-policy': 'allkeys-lru' } });
  if (!redis) return skip('no redis-server on the PATH');

  const opening = openJobQueue({ databaseUrl: '', redisUrl: redis.url });

  await expect(opening).rejects.toThrow('Set maxmemory-policy to noeviction');
});

test.for(['', ':wrong@'])(
  'a Redis that refuses the credentials "%s" is refused at the start with a reason',
  async (who, { skip }) => {
    await using server = await openRedis();
    if (!server) return skip('no redis-server on the PATH');
    const redis = new Redis(server.url);
    await redis.config('SET', 'requirepass', 'of-mine');

    const opening = openJobQueue({ databaseUrl: '', redisUrl: server.url.replace('://', `://${who}`) });

    await expect(opening).rejects.toThrow('Redis at REDIS_URL refused the user or password.');
    redis.disconnect();
  },
);

test.each([
  ['5.0.14', true],
  ['6.0.20', true],
  ['6.2.0', false],
  ['7.0.15', false],
  ['10.1.0', false],
  [null, false],
])('a Redis of version %s is too old: %s', (version, expected) => {
  expect(isTooOld(version)).toBe(expected);
});
