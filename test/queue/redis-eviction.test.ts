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
