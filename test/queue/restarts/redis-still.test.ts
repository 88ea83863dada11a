import { expect, test } from 'vitest';
import type { JobQueue } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { openSeveralRedis } from '#test/harness/stores/redis/open-several-redis.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { newWakeup } from '../job-queue-exam.ts';

test('a stopped Redis delays only the turns that were just sent to it', { timeout: 60_000 }, async ({ skip }) => {
  await using redises = await openSeveralRedis(2);
  if (!redises) return skip('no redis-server on the PATH');
  const [still] = redises.servers;
  await using jobQueue = await openQueue(redises.url);
  process.kill(still!.pid(), 'SIGSTOP');

  const first = await Promise.allSettled(Array.from({ length: 30 }, () => jobQueue.enqueue([newWakeup()])));
  const later = Array.from({ length: 30 }, () => newWakeup());
  await jobQueue.enqueue(later);
  const found = await kindsOf(jobQueue);
  process.kill(still!.pid(), 'SIGCONT');

  expect(new Set(first.map(({ status }) => status))).toEqual(new Set(['fulfilled', 'rejected']));
  expect(found).toEqual(['away', 'well']);
  await waitUntil(async () => expect(await kindsOf(jobQueue)).toEqual(['well', 'well']));
});

test('a Redis that returns gets its turns again', { timeout: 60_000 }, async ({ skip }) => {
  await using redises = await openSeveralRedis(2);
  if (!redises) return skip('no redis-server on the PATH');
  const [lost] = redises.servers;
  await using jobQueue = await openQueue(redises.url);
  await lost!.kill();
  await jobQueue.enqueue([newWakeup(), newWakeup()]).catch(() => {});

  await lost!.start();

  await waitUntil(async () => {
    await jobQueue.enqueue([newWakeup()]);
    expect(await lost!.client.zcard('pawl:turns-openai:prioritized')).toBeGreaterThan(0);
  });
});

async function kindsOf(jobQueue: JobQueue): Promise<string[]> {
  return (await jobQueue.check()).map(({ kind }) => kind);
}

async function openQueue(redisUrl: string): Promise<JobQueue & AsyncDisposable> {
  const jobQueue = await openJobQueue({ databaseUrl: '', redisUrl });
  return { ...jobQueue, [Symbol.asyncDispose]: () => jobQueue.close() };
}
