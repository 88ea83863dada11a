import { expect, test } from 'vitest';
import type { JobQueue } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { createTestDatabase, testRedisUrl } from '#test/harness/stores/test-database.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { type Link, openLink } from '../harness/links/open-link.ts';
import { newWakeup } from './job-queue-exam.ts';

const ALL = ['turns-openai', 'anytime'];

/** Opens a queue that reaches its store over a cut link. `link` can restore the connection. */
async function openCutOffQueue(redis: boolean): Promise<{ jobQueue: JobQueue; link: Link } & AsyncDisposable> {
  const databaseUrl = new URL(await createTestDatabase());
  const redisUrl = redis ? new URL(testRedisUrl()) : null;
  const target = redisUrl ?? databaseUrl;
  const link = await openLink(Number(target.port));
  target.port = String(link.port);
  link.setMode('cut');
  const jobQueue = await openJobQueue({ databaseUrl: databaseUrl.href, redisUrl: redisUrl?.href });
  const close = async () => {
    await jobQueue.close();
    await link[Symbol.asyncDispose]();
  };
  return { jobQueue, link, [Symbol.asyncDispose]: close };
}

describeQueue(({ redis }) => {
  test('a queue with its first wakeup during an outage takes jobs after the outage', async () => {
    await using harness = await openCutOffQueue(redis);
    const wakeup = newWakeup();

    await expect(harness.jobQueue.enqueue([wakeup])).rejects.toThrow();
    harness.link.setMode('pass');
    await waitUntil(() => harness.jobQueue.enqueue([wakeup]));

    expect(await harness.jobQueue.workOnce(ALL, async () => {})).toBe(true);
  });

  test('a worker that starts during an outage of its queue takes jobs after the outage', async () => {
    await using harness = await openCutOffQueue(redis);
    const handled: string[] = [];

    const workers = await harness.jobQueue.work(ALL, async ({ name }) => void handled.push(name), 4);
    harness.link.setMode('pass');
    await waitUntil(() => harness.jobQueue.enqueue([newWakeup(), newWakeup({ step: 'b1' })]));

    await waitUntil(() => expect(handled.toSorted()).toEqual(['run-round', 'run-tool-batch']));
    await workers.close(1_000);
  });
});
