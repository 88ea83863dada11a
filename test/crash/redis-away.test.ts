import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createWorld } from '#test/world/create-world.ts';
import { scripted } from '#test/world/scripted.ts';
import { spawnRedis } from '#test/world/spawn-redis.ts';
import { startProcess } from '#test/world/start-process.ts';

const input = scripted({ rounds: [{ think_ms: 900, tools: [{ name: 'note_visit', arguments: { city: 'Rome' } }] }] });

test('Redis emptied, paused, full, killed and started again: the API accepts on, and every turn finishes', {
  timeout: 180_000,
}, async ({ skip }) => {
  let server = await spawnRedis();
  if (!server) return skip('no redis-server on the PATH');
  await using world = await createWorld({ env: { REDIS_URL: server.url } });
  await using _one = await startProcess('worker', world.env);
  await using _two = await startProcess('worker', world.env);
  const redis = new Redis(server.url, { retryStrategy: () => 100, maxRetriesPerRequest: null });
  redis.on('error', () => {});
  const start = () => Promise.all(Array.from({ length: 4 }, () => world.startTurn({ input, tools: ['note_visit'] })));

  const started = await start();
  await redis.flushall();
  started.push(...(await start()));
  await redis.call('client', 'pause', 2_000);
  started.push(...(await start()));
  await redis.config('SET', 'maxmemory', '1');
  started.push(...(await start()));
  await redis.config('SET', 'maxmemory', '0');
  await server.stop();
  started.push(...(await start()));
  server = await spawnRedis([], Number(new URL(server.url).port));
  started.push(...(await start()));
  const turns = await Promise.all(started.map(({ id }) => world.untilEnded(id)));

  expect(turns.map(({ status }) => status)).toEqual(started.map(() => 'completed'));
  expect(turns.flatMap(({ rounds }) => rounds.map(({ number }) => number))).toEqual(started.flatMap(() => [1, 2]));
  redis.disconnect();
  await server?.stop();
});
