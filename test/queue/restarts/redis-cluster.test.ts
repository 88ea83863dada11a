import { afterAll, describe, expect, test } from 'vitest';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { openCluster } from '#test/harness/stores/redis/open-cluster.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { examineJobQueue } from '../job-queue-exam.ts';
import { openBookings } from './bookings.ts';

test('a replica replaces the killed node of the jobs: turns finish, tools run once', {
  timeout: 180_000,
}, async ({ skip }) => {
  await using cluster = await openCluster();
  if (!cluster) return skip('no redis-server on the PATH');
  await using bookings = await openBookings();
  await using service = await bookings.serve(cluster.url);

  await service.start('abcd');
  await bookings.booked(2);
  const killed = await cluster.masterOf('{pawl}');
  await killed.kill();
  await service.start('efgh');
  await bookings.untilAllBooked(service);
  await service.start('i');
  await bookings.untilAllBooked(service);

  const promoted = await cluster.masterOf('{pawl}');
  expect(promoted.port).not.toBe(killed.port);
  // The jobs of the last turn were sent to the new node.
  expect(await promoted.client.keys('{pawl}:*:meta')).not.toEqual([]);
});

test('a message published at one node arrives at another, also after both are killed', {
  timeout: 120_000,
}, async ({ skip }) => {
  await using cluster = await openCluster();
  if (!cluster) return skip('no redis-server on the PATH');
  const [first, second] = [cluster.nodes[0]!, cluster.nodes[1]!];
  const redisUrl = `${first.url},127.0.0.1:${second.port}`;
  const [publishing, listening] = [
    openPubsub({ databaseUrl: '', redisUrl }),
    openPubsub({ databaseUrl: '', redisUrl }),
  ];
  const received: string[] = [];
  listening.subscribeToWorkers(({ kind }) => received.push(kind));
  const arrives = async () => {
    received.length = 0;
    await waitUntil(() => {
      publishing.publishToWorkers({ kind: 'watched', turnId: 'turn_1' });
      expect(received).toContain('watched');
    });
  };

  await arrives();
  await first.kill();
  await arrives();
  await first.start();
  await second.kill();
  await arrives();

  await Promise.all([publishing.close(), listening.close()]);
});

const examined = await openCluster();
const name = examined ? 'BullMQ on a cluster' : 'BullMQ on a cluster (left out: no redis-server on the PATH)';

describe.skipIf(!examined)(name, () => {
  afterAll(() => examined?.[Symbol.asyncDispose]());

  examineJobQueue(async () => {
    await (await examined!.masterOf('{pawl}')).client.flushall();
    const jobQueue = await openJobQueue({ databaseUrl: '', redisUrl: examined!.url });
    return { ...jobQueue, [Symbol.asyncDispose]: () => jobQueue.close() };
  });
});
