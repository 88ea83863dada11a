import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { newId } from '#core/id.ts';
import { turnsQueue } from '#core/queue/job.ts';
import type { JobHandler } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { patchScripts } from '#core/queue/redis/patch-scripts.ts';
import type { TurnWakeup } from '#core/turn/wakeup.ts';
import { describeOnRedis } from '#test/harness/queues.ts';
import { testRedisUrl } from '#test/harness/stores/test-database.ts';

describeOnRedis(() => {
  test('a job leaves no events behind', async () => {
    const redisUrl = testRedisUrl();
    await using redis = openRedis(redisUrl);
    await using jobQueue = await openQueue(redisUrl);
    const provider = newId('turn');

    await jobQueue.enqueue([wakeupOf(provider, newId('turn'), 'r1')]);
    const isTaken = await jobQueue.workOnce([turnsQueue(provider)], async () => {});

    expect(isTaken).toBe(true);
    expect(await redis.client.exists(`pawl:${turnsQueue(provider)}:events`)).toBe(0);
  });

  test('the steps of a turn that is alone wake no worker', async () => {
    const redisUrl = testRedisUrl();
    await using redis = openRedis(redisUrl);
    await using jobQueue = await openQueue(redisUrl);
    const provider = newId('turn');
    const waits = await redis.count('bzpopmin', `pawl:${turnsQueue(provider)}:marker`);
    const steps = ['r1', 'b1', 'r2', 'b2', 'r3', 'b3', 'r4'];
    const worked: string[] = [];
    await jobQueue.work(
      [turnsQueue(provider)],
      async ({ data, handsOver }) => {
        if (!('step' in data)) return;
        worked.push(data.step);
        const next = steps[steps.indexOf(data.step) + 1];
        if (next) await jobQueue.enqueueBeforeAck([wakeupOf(provider, data.turnId, next)], handsOver?.());
      },
      4,
    );
    await vi.waitFor(() => expect(waits()).toBe(1), { timeout: 30_000 });

    await jobQueue.enqueue([wakeupOf(provider, newId('turn'), 'r1')]);
    await vi.waitFor(() => expect(worked).toEqual(steps), { timeout: 30_000 });

    // The wakeup of the first step, and none of the six that follow.
    expect(waits()).toBe(2);
  });

  test('a step of a worker that closes goes to another at once', async () => {
    const redisUrl = testRedisUrl();
    await using closing = await openQueue(redisUrl);
    await using staying = await openQueue(redisUrl);
    const provider = newId('turn');
    const isClosing = Promise.withResolvers<void>();
    const isAtWork = Promise.withResolvers<void>();
    const takenAt: number[] = [];
    const take: JobHandler = async () => void takenAt.push(performance.now());
    const workers = await closing.work(
      [turnsQueue(provider)],
      async ({ data, handsOver }) => {
        isAtWork.resolve();
        await isClosing.promise;
        if ('turnId' in data) await closing.enqueueBeforeAck([wakeupOf(provider, data.turnId, 'b1')], handsOver?.());
      },
      1,
    );
    await closing.enqueue([wakeupOf(provider, newId('turn'), 'r1')]);
    await isAtWork.promise;
    await staying.work([turnsQueue(provider)], take, 1);

    const closed = workers.close(10_000);
    const handedOverAt = performance.now();
    isClosing.resolve();
    await closed;
    await vi.waitFor(() => expect(takenAt).toHaveLength(1), { timeout: 10_000 });

    // A worker that is not woken looks for itself after five seconds.
    expect(takenAt[0]! - handedOverAt).toBeLessThan(4_000);
  });
});

test('a script that has none of the known lines is run as it is', () => {
  const defined: unknown[] = [];
  const redis = { defineCommand: (...command: unknown[]) => void defined.push(command) };
  patchScripts(redis as unknown as Redis);

  redis.defineCommand('moveToActive:9.0.0', { lua: 'return redis.call("PING")', numberOfKeys: 0 });

  expect(defined).toEqual([['moveToActive:9.0.0', { lua: 'return redis.call("PING")', numberOfKeys: 0 }]]);
});

async function openQueue(redisUrl: string) {
  const jobQueue = await openJobQueue({ databaseUrl: '', redisUrl });
  return { ...jobQueue, [Symbol.asyncDispose]: () => jobQueue.close() };
}

function wakeupOf(provider: string, turnId: string, step: string): TurnWakeup {
  return { kind: 'turn', turnId, step, generation: 0, provider, priority: 0 };
}

function openRedis(redisUrl: string) {
  const client = new Redis(redisUrl);
  const opened = [client];
  return {
    client,
    /** Counts the commands that name a key, from now on. */
    count: async (command: string, key: string) => {
      const monitor = await client.monitor();
      opened.push(monitor);
      let count = 0;
      monitor.on('monitor', (_time: string, [name, ...args]: string[]) => {
        if (name === command && args.includes(key)) count += 1;
      });
      return () => count;
    },
    [Symbol.asyncDispose]: async () => opened.forEach((redis) => void redis.disconnect()),
  };
}
