import { Redis } from 'ioredis';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { newId } from '#core/id.ts';
import { turnsQueue } from '#core/queue/job.ts';
import type { JobQueue } from '#core/queue/job-queue.ts';
import { openJobQueue } from '#core/queue/open-job-queue.ts';
import { blockForJobs } from '#core/queue/redis/block-for-jobs.ts';
import type { TurnWakeup } from '#core/turn/wakeup.ts';
import { describeOnRedis, describeQueue } from '#test/harness/queues.ts';
import { openPatientQueue } from '#test/harness/stores/open-patient-stores.ts';
import { createTestDatabase, testRedisUrl } from '#test/harness/stores/test-database.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openLink } from '../harness/links/open-link.ts';

const PROVIDERS = Array.from({ length: 60 }, (_, number) => `p${number}`);

/** More wakeups than a worker can miss before it polls. */
const MANY = 20;

function newWakeup(provider: string, own: Partial<TurnWakeup> = {}): TurnWakeup {
  return { kind: 'turn', turnId: newId('turn'), step: 'r1', generation: 0, provider, priority: 0, ...own };
}

type Urls = { databaseUrl: string; redisUrl?: string | undefined };

async function newUrls(redis: boolean): Promise<Urls> {
  return { databaseUrl: await createTestDatabase(), redisUrl: redis ? testRedisUrl() : undefined };
}

type Answering = { handle?(turnId: string): Promise<void>; openQueue?(urls: Urls): Promise<JobQueue> };

/** Opens a queue with workers that record their turns. */
async function openAnswered(urls: Urls, { handle, openQueue = openPatientQueue }: Answering = {}) {
  const jobQueue = await openQueue(urls);
  const handled: string[] = [];
  const queues = PROVIDERS.map(turnsQueue);
  const answering = await jobQueue.work(
    queues,
    async ({ data }) => {
      if (!('turnId' in data)) return;
      handled.push(data.turnId);
      await handle?.(data.turnId);
    },
    1,
  );
  const wakeup = async (provider: string, own: Partial<TurnWakeup> = {}) => {
    const one = newWakeup(provider, own);
    // An enqueue is refused while a connection is replaced. A second enqueue of the same wakeup has no effect.
    await waitUntil(() => jobQueue.enqueue([one]));
    return one.turnId;
  };
  const close = async () => {
    await answering.close(60_000);
    await jobQueue.close();
  };
  return { jobQueue, handled, enqueue: wakeup, [Symbol.asyncDispose]: close };
}

/** Ends each waiting connection of these workers. */
async function killConnections({ databaseUrl, redisUrl }: Urls): Promise<void> {
  if (redisUrl) {
    const redis = new Redis(redisUrl);
    const database = new URL(redisUrl).pathname.slice(1);
    const clients = String(await redis.client('LIST'))
      .trim()
      .split('\n');
    const blocking = clients.filter((line) => line.includes(` db=${database} `) && line.includes('cmd=bzpopmin'));
    for (const line of blocking) await redis.call('client', 'kill', 'id', String(/id=(\d+)/.exec(line)?.[1]));
    redis.disconnect();
    return;
  }
  const sql = postgres(databaseUrl, { max: 1 });
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'pawl-queue-listen' and datname = current_database()`;
  await sql.end();
}

describeQueue(({ redis }) => {
  test('each of many queues is woken for each of its jobs', async () => {
    await using workers = await openAnswered(await newUrls(redis));
    const enqueued: string[] = [];

    for (const provider of PROVIDERS) {
      enqueued.push(await workers.enqueue(provider));
      await waitUntil(() => expect(workers.handled).toEqual(enqueued));
    }
    const atOnce = await Promise.all(PROVIDERS.map((provider) => workers.enqueue(provider)));

    await waitUntil(() => expect(workers.handled.toSorted()).toEqual([...enqueued, ...atOnce].toSorted()));
  });

  test('delayed jobs of many queues are found when they are due', async () => {
    await using workers = await openAnswered(await newUrls(redis));

    const delays = PROVIDERS.map((provider, index) => workers.enqueue(provider, { delayMs: 100 + 10 * index }));
    const enqueued = await Promise.all(delays);

    await waitUntil(() => expect(workers.handled.toSorted()).toEqual(enqueued.toSorted()));
  });

  test('waiting connections that are killed repeatedly are replaced', async () => {
    const urls = await newUrls(redis);
    await using workers = await openAnswered(urls);

    for (const provider of PROVIDERS.slice(0, 10)) {
      await killConnections(urls);
      const turnId = await workers.enqueue(provider);
      await waitUntil(() => expect(workers.handled).toContain(turnId));
    }
  });

  test('connections that become silent with open sockets are replaced', async () => {
    const urls = await newUrls(redis);
    const target = new URL(urls.redisUrl ?? urls.databaseUrl);
    await using link = await openLink(Number(target.port));
    target.port = String(link.port);
    const linked = urls.redisUrl ? { ...urls, redisUrl: target.href } : { databaseUrl: target.href };
    // A patient queue would wait two minutes before it refuses the jobs below.
    await using workers = await openAnswered(linked, { openQueue: openJobQueue });
    const first = await workers.enqueue('p0');
    await waitUntil(() => expect(workers.handled).toEqual([first]));

    link.setMode('blackhole');
    // These queues have had no job yet, and each opens on its own connection.
    const silent = PROVIDERS.slice(1, 9).map((provider) => workers.jobQueue.enqueue([newWakeup(provider)]));
    for (const attempt of await Promise.allSettled(silent)) expect(attempt.status).toBe('rejected');
    link.setMode('pass');

    const enqueued = await workers.enqueue('p1');
    await waitUntil(() => expect(workers.handled).toContain(enqueued));
  });

  test('a job is taken by another process if the worker has no free slot', async () => {
    const urls = await newUrls(redis);
    const release = Promise.withResolvers<void>();
    let isFirst = true;
    const holdTheFirst = () => {
      const released = isFirst ? release.promise : undefined;
      isFirst = false;
      return Promise.resolve(released);
    };
    await using one = await openAnswered(urls, { handle: holdTheFirst });
    await using other = await openAnswered(urls, { handle: holdTheFirst });

    await one.enqueue('p0', { delayMs: 100 });
    await waitUntil(() => expect(isFirst).toBe(false));
    for (let time = 0; time < MANY; time += 1) {
      const turnId = await one.enqueue('p0');
      await waitUntil(() => expect([...one.handled, ...other.handled]).toContain(turnId));
    }

    release.resolve();
  });
});

describeOnRedis(() => {
  function openWaiters() {
    const url = testRedisUrl();
    const sending = new Redis(url);
    const waiters = [1, 2].map(() => blockForJobs(() => new Redis(url), sending, 'test'));
    const close = async () => {
      for (const waiter of waiters) await waiter.close();
      sending.disconnect();
    };
    return { sending, here: waiters[0]!, there: waiters[1]!, [Symbol.asyncDispose]: close };
  }

  test('a marker without a waiting worker in this process is left to another process', async () => {
    await using waiters = openWaiters();
    const [ours, theirs] = [waiters.here.join('queue'), waiters.there.join('queue')];

    await ours.wait(0.05);
    await waiters.sending.zadd('test:queue:marker', 7, '1');

    await waitUntil(async () => expect(await theirs.wait(1)).toEqual({ member: '1', score: 7 }));
  });

  test('a queue that joins a blocking connection is woken, too', async () => {
    await using waiters = openWaiters();
    const names = PROVIDERS.slice(0, 12);
    const workers = names.map((name) => waiters.here.join(name));
    const waiting = workers.map((worker) => worker.wait(600));

    for (let time = 0; time < MANY; time += 1) {
      await waiters.sending.zadd('test:p11:marker', 0, '0');
      expect(await waiting[11]).toEqual({ member: '0', score: 0 });
      waiting[11] = workers[11]!.wait(600);
    }

    for (const worker of workers) worker.interrupt();
    expect(await Promise.all(waiting)).toEqual(names.map(() => null));
  });
});
