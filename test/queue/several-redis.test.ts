import { afterAll, describe, expect, test } from 'vitest';
import type { JobHandler, JobQueue } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { openPatientQueue } from '#test/harness/stores/open-patient-stores.ts';
import { openRedis } from '#test/harness/stores/redis/open-redis.ts';
import { openSeveralRedis, urlOf } from '#test/harness/stores/redis/open-several-redis.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { examineJobQueue, newWakeup } from './job-queue-exam.ts';

const QUEUES = ['turns-openai', 'anytime'];

const three = await openSeveralRedis(3);
const name = three ? 'BullMQ on several Redis' : 'BullMQ on several Redis (left out: no redis-server on the PATH)';
const emptied = async () => {
  for (const { client } of three!.servers) await client.flushall();
  return openTestQueue(three!.url);
};

describe.skipIf(!three)(name, () => {
  afterAll(() => three?.[Symbol.asyncDispose]());

  examineJobQueue(emptied, { stores: 3 });

  test('each turn has its own Redis, in any order of the URLs', async () => {
    await using jobQueue = await emptied();
    const wakeups = Array.from({ length: 60 }, () => newWakeup());
    await using reversed = await openTestQueue(urlOf(three!.servers.toReversed()));

    await jobQueue.enqueue(wakeups);
    await reversed.enqueue(wakeups);

    const counts = await Promise.all(three!.servers.map(({ client }) => client.zcard('pawl:turns-openai:prioritized')));
    expect(counts.reduce((sum, count) => sum + count)).toBe(60);
    expect(Math.min(...counts)).toBeGreaterThan(5);
    expect(await jobQueue.count(QUEUES)).toMatchObject({ prioritized: 60 });
    expect(await kindsOf(jobQueue)).toEqual(['well', 'well', 'well']);
  });

  test('a step that a job hands over arrives with its acknowledgement, and runs once', async () => {
    await using jobQueue = await emptied();
    const steps: string[] = [];
    const handle: JobHandler = async ({ data, handsOver }) => {
      if (!('turnId' in data)) return;
      steps.push(`${data.turnId} ${data.step}`);
      const round = Number(data.step.slice(1));
      if (round < 5) await jobQueue.enqueueBeforeAck([newWakeup({ ...data, step: `r${round + 1}` })], handsOver?.());
    };
    const wakeups = Array.from({ length: 20 }, () => newWakeup());

    const workers = await jobQueue.work(QUEUES, handle, 6);
    await jobQueue.enqueue(wakeups);
    await waitUntil(() => expect(steps).toHaveLength(100));
    await workers.close(1_000);

    expect(new Set(steps).size).toBe(100);
  });

  test('several Redis share the slots, and other Redis use the slots of a lost Redis', async () => {
    await using jobQueue = await emptied();
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let [atWork, begun] = [0, 0];
    const handle = async () => {
      const gate = gates[begun < 7 ? 0 : 1];
      begun += 1;
      atWork += 1;
      await gate!.promise;
      atWork -= 1;
    };
    await jobQueue.enqueue(Array.from({ length: 90 }, () => newWakeup()));

    const workers = await jobQueue.work(QUEUES, handle, 7);
    await waitUntil(() => expect(begun).toBe(7));
    const { active } = await jobQueue.count(QUEUES);
    await three!.servers[2]!.kill();
    await waitUntil(async () => expect(await kindsOf(jobQueue)).toEqual(['well', 'well', 'away']));
    gates[0]!.resolve();
    await waitUntil(() => expect(atWork).toBe(7));
    gates[1]!.resolve();
    // Unsent commands to the lost Redis do not delay the end.
    await workers.close(600_000);
    await three!.servers[2]!.start();

    expect(active).toBe(7);
  });
});

test('turns of a Redis that accepts no jobs use another Redis, and it is reported', async ({ skip }) => {
  await using redises = await openSeveralRedis(2);
  if (!redises) return skip('no redis-server on the PATH');
  const [full] = redises.servers;
  await using jobQueue = await openTestQueue(redises.url);
  await full!.client.config('SET', 'maxmemory', '1');

  await jobQueue.enqueue(Array.from({ length: 30 }, () => newWakeup()));

  const found = await jobQueue.check();
  expect(await jobQueue.count(QUEUES)).toMatchObject({ prioritized: 30 });
  expect(found).toMatchObject([{ kind: 'away', error: { message: expect.stringMatching(/^OOM/) } }, { kind: 'well' }]);
});

test('a queue works without one of several Redis, and refuses without all', async ({ skip }) => {
  await using redises = await openSeveralRedis(3);
  if (!redises) return skip('no redis-server on the PATH');
  const [gone, ...others] = redises.servers;
  await gone!.kill();
  await using jobQueue = await openTestQueue(redises.url);
  const wakeups = Array.from({ length: 30 }, () => newWakeup());
  const worked: string[] = [];

  await jobQueue.enqueue(wakeups);
  const waiting = await jobQueue.count(QUEUES);
  while (await jobQueue.workOnce(QUEUES, async ({ data }) => void ('turnId' in data && worked.push(data.turnId))));
  const found = await jobQueue.check();
  for (const server of others) await server.kill();

  expect(waiting).toMatchObject({ prioritized: 30 });
  expect(worked.toSorted()).toEqual(wakeups.map(({ turnId }) => turnId).toSorted());
  expect(found).toMatchObject([
    { kind: 'away', address: `127.0.0.1:${gone!.port}`, error: { code: 'ECONNREFUSED' } },
    ...[{ kind: 'well' }, { kind: 'well' }],
  ]);
  await waitUntil(() => expect(jobQueue.check()).rejects.toThrow());
  await expect(jobQueue.enqueue([newWakeup()])).rejects.toThrow();
});

test('a Redis among several that may evict jobs is refused at the start by its name', async ({ skip }) => {
  await using well = await openRedis();
  await using evicting = await openRedis({ settings: { 'maxmemory-policy': 'allkeys-lru' } });
  if (!well || !evicting) return skip('no redis-server on the PATH');

  const opening = openJobQueue({ databaseUrl: '', redisUrl: `${well.url} ${evicting.url}` });

  await expect(opening).rejects.toThrow(
    `Redis at 127.0.0.1:${evicting.port} in REDIS_URL evicts keys (maxmemory-policy allkeys-lru), so jobs`,
  );
});

async function kindsOf(jobQueue: JobQueue): Promise<string[]> {
  return (await jobQueue.check()).map(({ kind }) => kind);
}

function openTestQueue(redisUrl: string): Promise<JobQueue & AsyncDisposable> {
  return openPatientQueue({ databaseUrl: '', redisUrl });
}
