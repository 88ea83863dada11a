import { expect, test } from 'vitest';
import { openPubsub } from '#core/pubsub/open-pubsub.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { openCluster } from '#test/harness/stores/redis/open-cluster.ts';
import { openRedis } from '#test/harness/stores/redis/open-redis.ts';
import { openSentinels } from '#test/harness/stores/redis/open-sentinels.ts';
import { createProtection, type Protection } from '#test/harness/stores/redis/protection.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { newWakeup } from '../job-queue-exam.ts';

const QUEUES = ['turns-openai'];

const kinds = [
  { name: 'one Redis', open: (protection: Protection) => openRedis({ protection }) },
  { name: 'Sentinels', open: openSentinels },
  { name: 'a cluster', open: openCluster },
];

test.for(kinds)(
  'jobs and messages use $name over TLS with passwords that are checked',
  {
    timeout: 120_000,
  },
  async ({ open }, { skip }) => {
    await using folder = await newFolder('redis-tls');
    const protection = await createProtection(folder.path);
    if (!protection) return skip('no openssl on the PATH');
    await using redis = await open(protection);
    if (!redis) return skip('no redis-server on the PATH');
    const urls = { databaseUrl: '', redisUrl: redis.url };
    const jobQueue = await openJobQueue(urls);
    const pubsub = openPubsub(urls);
    const received: string[] = [];
    pubsub.subscribeToWorkers(({ kind }) => received.push(kind));

    await waitUntil(() => jobQueue.enqueue([newWakeup()]));
    const hasWorked = await jobQueue.workOnce(QUEUES, async () => {});
    await waitUntil(() => {
      pubsub.publishToWorkers({ kind: 'who-watches' });
      expect(received).toContain('who-watches');
    });
    const wrong = openJobQueue({ ...urls, redisUrl: redis.url.replace(`:${protection.password}@`, ':wrong@') });

    await expect(wrong).rejects.toThrow('refused the user or password');
    expect(hasWorked).toBe(true);
    expect(await jobQueue.check()).toMatchObject([{ kind: 'well' }]);
    await Promise.all([jobQueue.close(), pubsub.close()]);
  },
);
