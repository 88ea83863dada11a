import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { newId } from '#core/id.ts';
import { describeOnRedis } from '#test/harness/queues.ts';
import { openPatientQueue } from '#test/harness/stores/open-patient-stores.ts';
import { openMonitor } from '#test/harness/stores/redis/open-monitor.ts';
import { testRedisUrl } from '#test/harness/stores/test-database.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { newWakeup } from './job-queue-exam.ts';

describeOnRedis(() => {
  test('a wakeup is sent before the acknowledgement of its job, on the same connection', async () => {
    await using redis = await watchScripts();
    await using jobQueue = await openRedisQueue();
    await jobQueue.work(
      ['turns-openai'],
      async ({ data }) => {
        if ('step' in data && data.step === 'r1')
          await jobQueue.enqueueBeforeAck([newWakeup({ turnId: data.turnId, step: 'b1' })]);
      },
      4,
    );
    const turnId = newId('turn');

    await jobQueue.enqueue([newWakeup({ turnId })]);

    const inOrder = ['r1', 'b1', 'r1', 'b1'];
    await waitUntil(() => expect(redis.scriptsOf(turnId).map(({ job }) => job)).toEqual(inOrder));
    const [, wakeup, acknowledgement] = redis.scriptsOf(turnId);
    expect(wakeup?.source).toBe(acknowledgement?.source);
  });

  test('an early wakeup that is refused rejects for its caller only', async () => {
    const jobQueue = await openRedisQueue();
    await jobQueue.close();

    const { arrived } = await jobQueue.enqueueBeforeAck([newWakeup()]);

    await expect(arrived).rejects.toThrow();
  });
});

function openRedisQueue() {
  return openPatientQueue({ databaseUrl: '', redisUrl: testRedisUrl() });
}

/** Records each script that Redis runs, with the first job of a turn in it and the connection that sent it. */
async function watchScripts() {
  const redis = new Redis(testRedisUrl());
  const monitor = await openMonitor(redis);
  const scripts: { text: string; source: string }[] = [];
  monitor.on('monitor', (_time: string, [command, ...args]: string[], source: string) => {
    if (command === 'eval' || command === 'evalsha') scripts.push({ text: args.join(' '), source });
  });
  return {
    scriptsOf: (turnId: string) =>
      scripts.flatMap(({ text, source }) => {
        const job = text.match(new RegExp(`${turnId}-(\\w+)-0`))?.[1];
        return job ? [{ job, source }] : [];
      }),
    [Symbol.asyncDispose]: async () => {
      monitor.disconnect();
      redis.disconnect();
    },
  };
}
