import { expect, test } from 'vitest';
import { newFolder } from '#test/harness/new-folder.ts';
import { openSeveralRedis, urlOf } from '#test/harness/stores/redis/open-several-redis.ts';
import { untilLogged } from '#test/harness/until-logged.ts';
import { openBookings } from './bookings.ts';

type Ready = { status: string; queue: string; notes: string[] };

const timeout = 180_000;

test('one of three Redis is killed and restarted: turns finish, each tool runs once', {
  timeout,
}, async ({ skip }) => {
  await using folder = await newFolder('several-redis');
  await using redises = await openSeveralRedis(3, folder.path);
  if (!redises) return skip('no redis-server on the PATH');
  const [lost] = redises.servers;
  await using bookings = await openBookings();
  await using service = await bookings.serve(redises.url);
  const ready = async () => (await service.call<Ready>('GET', '/readyz')).body;
  const part = `redis@127.0.0.1:${lost!.port}`;

  await service.start('abcdefghijkl');
  await bookings.booked(6);
  await lost!.kill();
  await service.start('mnopqrstuvwx');
  const lines = await Promise.all(service.processes.map((one) => untilLogged(one, 'part.away', { away: part })));
  const without = await ready();
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const queues = await service.call<{ data: { active: number }[] }>('GET', '/v1/queues');
  await bookings.booked(30);
  await lost!.start();
  await Promise.all(service.processes.map((one) => untilLogged(one, 'part.back', { back: part })));
  await service.start('ABCDEFGHIJKL');
  await bookings.untilAllBooked(service);

  const sentence = `Redis at 127.0.0.1:${lost!.port} in REDIS_URL cannot be reached (ECONNREFUSED). Check that it runs. Turns use the other Redis until then.`;
  expect(lines.map(({ msg }) => msg)).toEqual([sentence, sentence, sentence]);
  expect(without).toMatchObject({ status: 'ready', queue: 'ready', notes: [sentence] });
  expect(metrics).toContain(`pawl_part_up{part="${part}"} 0\n`);
  expect(metrics).toContain('pawl_part_up{part="queue"} 1\n');
  expect(queues.status).toBe(200);
  expect(queues.body.data.reduce((sum, { active }) => sum + active, 0)).toBeGreaterThan(0);
  expect(await ready()).toMatchObject({ queue: 'ready', notes: [] });
  // Turns are sent to the restarted Redis again.
  expect(await lost!.client.keys('pawl:*:meta')).not.toEqual([]);
});

test('API and workers start without one of three Redis, and use it after its start', {
  timeout,
}, async ({ skip }) => {
  await using redises = await openSeveralRedis(3);
  if (!redises) return skip('no redis-server on the PATH');
  const [away] = redises.servers;
  await away!.kill();
  await using bookings = await openBookings();
  await using service = await bookings.serve(redises.url);

  await service.start('abcdefgh');
  await bookings.untilAllBooked(service);
  await away!.start();
  await Promise.all(service.processes.map((one) => untilLogged(one, 'part.back')));
  await service.start('ABCDEFGHIJKL');
  await bookings.untilAllBooked(service);

  expect(await away!.client.keys('pawl:*:meta')).not.toEqual([]);
});

test('a Redis is removed and added while turns wait: each tool runs once', { timeout }, async ({ skip }) => {
  await using redises = await openSeveralRedis(3);
  if (!redises) return skip('no redis-server on the PATH');
  const two = urlOf(redises.servers.slice(0, 2));
  await using bookings = await openBookings();
  const removed = redises.servers[2]!.client;
  const waiting = async () =>
    (await removed.zcard('pawl:turns-sim:prioritized')) + (await removed.llen('pawl:turns-sim:wait'));

  await using before = await bookings.serve(redises.url, { workers: 0 });
  await before.start('abcdefghijkl');
  const left = await waiting();
  await before[Symbol.asyncDispose]();
  await using between = await bookings.serve(two);
  await bookings.untilAllBooked(between);
  await between[Symbol.asyncDispose]();
  await using without = await bookings.serve(two, { workers: 0 });
  await without.start('mnopqrstuvwx');
  await without[Symbol.asyncDispose]();
  await using after = await bookings.serve(redises.url);
  await bookings.untilAllBooked(after);

  expect(left).toBeGreaterThan(0);
});
