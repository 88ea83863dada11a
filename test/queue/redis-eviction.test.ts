import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { openBell } from '#core/queue/open-bell.ts';
import { spawnRedis } from '#test/world/spawn-redis.ts';

test('a Redis that may evict jobs is refused at the start, with the reason', async ({ skip }) => {
  const redis = await spawnRedis(['--maxmemory-policy', 'allkeys-lru']);
  if (!redis) return skip('no redis-server on the PATH');

  const opening = openBell({ databaseUrl: '', redisUrl: redis.url });

  await expect(opening).rejects.toThrow('Set maxmemory-policy to noeviction');
  await redis.stop();
});

test.for(['', ':wrong@'])(
  'a Redis that refuses the credentials "%s" is refused at the start, with the reason',
  async (who, { skip }) => {
    const server = await spawnRedis();
    if (!server) return skip('no redis-server on the PATH');
    const redis = new Redis(server.url);
    await redis.config('SET', 'requirepass', 'of-mine');

    const opening = openBell({ databaseUrl: '', redisUrl: server.url.replace('://', `://${who}`) });

    await expect(opening).rejects.toThrow('Redis at REDIS_URL refused the user or password.');
    redis.disconnect();
    await server.stop();
  },
);
