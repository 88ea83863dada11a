import { expect, test } from 'vitest';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { openCluster } from '#test/harness/stores/redis/open-cluster.ts';
import { openSentinels } from '#test/harness/stores/redis/open-sentinels.ts';
import { linesOf, untilLogged } from '#test/harness/until-logged.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openBookings } from './bookings.ts';

const EVICTS = { kind: 'evicts', policy: 'allkeys-lru' };

test('a cluster with a master that may evict jobs is refused at the start, or reported', {
  timeout: 120_000,
}, async ({ skip }) => {
  await using cluster = await openCluster();
  if (!cluster) return skip('no redis-server on the PATH');
  const jobQueue = await openJobQueue({ databaseUrl: '', redisUrl: cluster.url });

  for (const { client } of cluster.nodes.slice(0, 3)) {
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const opening = openJobQueue({ databaseUrl: '', redisUrl: cluster.url });
    await expect(opening).rejects.toThrow('Set maxmemory-policy to noeviction');
    expect(await jobQueue.check()).toMatchObject([EVICTS]);
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    expect(await jobQueue.check()).toMatchObject([{ kind: 'well' }]);
  }

  await jobQueue.close();
});

test('a replica in a cluster that may evict jobs is reported when it becomes a master', { timeout: 120_000 }, async ({
  skip,
}) => {
  await using cluster = await openCluster();
  if (!cluster) return skip('no redis-server on the PATH');
  const jobQueue = await openJobQueue({ databaseUrl: '', redisUrl: cluster.url });
  for (const { client } of cluster.nodes.slice(3)) await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const before = await jobQueue.check();

  await (await cluster.masterOf('{pawl}')).kill();

  expect(before).toMatchObject([{ kind: 'well' }]);
  await waitUntil(async () => expect(await jobQueue.check()).toMatchObject([EVICTS]));
  await jobQueue.close();
});

test('a Sentinel replica that may evict jobs is reported while it is the master', {
  timeout: 180_000,
}, async ({ skip }) => {
  await using sentinels = await openSentinels();
  if (!sentinels) return skip('no redis-server on the PATH');
  await using bookings = await openBookings();
  await using service = await bookings.serve(sentinels.url, { workers: 1 });
  const [api, worker] = service.processes;
  const notes = async () => (await service.call<{ notes: string[] }>('GET', '/readyz')).body.notes;
  const away = `redis@${sentinels.url.slice('redis+sentinel://'.length)}`;
  await sentinels.replica.client.config('SET', 'maxmemory-policy', 'allkeys-lru');

  await service.start('ab');
  await sentinels.master.kill();
  const { msg } = await untilLogged(api!, 'part.away', { away });
  await untilLogged(worker!, 'part.away', { away });
  const during = await notes();
  await sentinels.replica.client.config('SET', 'maxmemory-policy', 'noeviction');
  await untilLogged(api!, 'part.back', { back: away });
  await bookings.untilAllBooked(service);

  expect(msg).toMatch(
    /evicts keys \(maxmemory-policy allkeys-lru\), so jobs may be lost or run twice\. Set maxmemory-policy/,
  );
  expect(during).toContain(msg);
  expect(await notes()).toEqual([]);
  expect(linesOf(api!, 'part.away', { away })).toHaveLength(1);
});
