import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { openRedis } from '#test/harness/stores/redis/open-redis.ts';

const input = scripted({ rounds: [{ think_ms: 900, tools: [{ name: 'note_visit', arguments: { city: 'Rome' } }] }] });

test('all turns finish, and new turns start, while Redis is emptied, full or killed', {
  timeout: 180_000,
}, async ({ skip }) => {
  await using server = await openRedis();
  if (!server) return skip('no redis-server on the PATH');
  await using harness = await createHarness({ env: { REDIS_URL: server.url } });
  await using _one = await startProcess('worker', harness.env);
  await using _two = await startProcess('worker', harness.env);
  const redis = new Redis(server.url, { retryStrategy: () => 100, maxRetriesPerRequest: null });
  redis.on('error', () => {});
  const start = () => Promise.all(Array.from({ length: 4 }, () => harness.startTurn({ input, tools: ['note_visit'] })));

  const started = await start();
  await redis.flushall();
  started.push(...(await start()));
  await redis.call('client', 'pause', 2_000);
  started.push(...(await start()));
  await redis.config('SET', 'maxmemory', '1');
  started.push(...(await start()));
  await redis.config('SET', 'maxmemory', '0');
  await server.kill();
  started.push(...(await start()));
  await server.start();
  started.push(...(await start()));
  const turns = await Promise.all(started.map(({ id }) => harness.untilEnded(id)));

  expect(turns.map(({ status }) => status)).toEqual(started.map(() => 'completed'));
  expect(turns.flatMap(({ rounds }) => rounds.map(({ number }) => number))).toEqual(started.flatMap(() => [1, 2]));
  redis.disconnect();
});
