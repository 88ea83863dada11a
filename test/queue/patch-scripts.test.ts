import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { newId } from '#core/id.ts';
import { turnsQueue } from '#core/queue/job.ts';
import type { JobHandler } from '#core/queue/job-queue.ts';
import { patchScripts } from '#core/queue/redis/patch-scripts.ts';
import type { TurnWakeup } from '#core/turn/wakeup.ts';
import { describeOnRedis } from '#test/harness/queues.ts';
import { openPatientQueue } from '#test/harness/stores/open-patient-stores.ts';
import { openMonitor } from '#test/harness/stores/redis/open-monitor.ts';
import { testRedisUrl } from '#test/harness/stores/test-database.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

describeOnRedis(() => {
  test('a job leaves no BullMQ events in Redis', async () => {
    const redisUrl = testRedisUrl();
    await using redis = openRedis(redisUrl);
    await using jobQueue = await openQueue(redisUrl);
    const provider = newId('turn');

    await jobQueue.enqueue([wakeupOf(provider, newId('turn'), 'r1')]);
    const isTaken = await jobQueue.workOnce([turnsQueue(provider)], async () => {});

    expect(isTaken).toBe(true);
    expect(await redis.client.exists(`pawl:${turnsQueue(provider)}:events`)).toBe(0);
  });

  test('the steps of a single turn wake no worker', async () => {
    const redisUrl = testRedisUrl();
    await using redis = openRedis(redisUrl);
    await using jobQueue = await openQueue(redisUrl);
    const provider = newId('turn');
    const key = `pawl:${turnsQueue(provider)}:marker`;
    const [waits, wakeups] = [await redis.count('bzpopmin', key), await redis.count('zadd', key)];
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
    await waitUntil(() => expect(waits()).toBeGreaterThan(0));

    await jobQueue.enqueue([wakeupOf(provider, newId('turn'), 'r1')]);
    await waitUntil(() => expect(worked).toEqual(steps));

    await waitUntil(async () => expect((await jobQueue.count([turnsQueue(provider)])).active).toBe(0));
    await redis.untilCounted();
    // The wakeup of the first step only, not of the six steps that follow.
    expect(wakeups()).toBe(1);
  });

  test('a step of a closing worker wakes another worker', async () => {
    const redisUrl = testRedisUrl();
    await using redis = openRedis(redisUrl);
    await using closing = await openQueue(redisUrl);
    await using staying = await openQueue(redisUrl);
    const provider = newId('turn');
    const isClosing = Promise.withResolvers<void>();
    const isAtWork = Promise.withResolvers<void>();
    const isTaken = Promise.withResolvers<void>();
    const take: JobHandler = async () => isTaken.resolve();
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
    const key = `pawl:${turnsQueue(provider)}:marker`;
    const [waits, wakeups] = [await redis.count('bzpopmin', key), await redis.count('zadd', key)];
    await staying.work([turnsQueue(provider)], take, 1);
    await waitUntil(() => waits() > 0);

    const closed = workers.close(60_000);
    isClosing.resolve();
    await closed;
    await isTaken.promise;
    await redis.untilCounted();

    // A worker that is not woken polls some seconds later.
    expect(wakeups()).toBeGreaterThan(0);
  });
});

test('a script without a known line runs unchanged', () => {
  const defined: unknown[] = [];
  const redis = { defineCommand: (...command: unknown[]) => void defined.push(command) };
  patchScripts(redis as unknown as Redis);

  redis.defineCommand('moveToActive:9.0.0', { lua: 'return redis.call("PING")', numberOfKeys: 0 });

  expect(defined).toEqual([['moveToActive:9.0.0', { lua: 'return redis.call("PING")', numberOfKeys: 0 }]]);
});

function openQueue(redisUrl: string) {
  return openPatientQueue({ databaseUrl: '', redisUrl });
}

function wakeupOf(provider: string, turnId: string, step: string): TurnWakeup {
  return { kind: 'turn', turnId, step, generation: 0, provider, priority: 0 };
}

function openRedis(redisUrl: string) {
  const client = new Redis(redisUrl);
  const opened = [client];
  const ends: Promise<unknown>[] = [];
  const last = 'the end of the counted commands';
  return {
    client,
    /** Counts this command on a key, from now on. */
    count: async (command: string, key: string) => {
      const monitor = await openMonitor(client);
      opened.push(monitor);
      const ended = Promise.withResolvers<void>();
      ends.push(ended.promise);
      let count = 0;
      monitor.on('monitor', (_time: string, [name, ...args]: string[]) => {
        if (name?.toLowerCase() === command && args.includes(key)) count += 1;
        if (args.includes(last)) ended.resolve();
      });
      return () => count;
    },
    /** Resolves when all commands that Redis has run so far are counted. */
    untilCounted: async () => {
      await client.echo(last);
      await Promise.all(ends);
    },
    [Symbol.asyncDispose]: async () => opened.forEach((redis) => void redis.disconnect()),
  };
}
