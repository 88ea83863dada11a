import { Redis } from 'ioredis';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { newId } from '#core/id.ts';
import type { Bell } from '#core/queue/bell.ts';
import { blockForJobs } from '#core/queue/block-for-jobs.ts';
import { turnsQueue } from '#core/queue/job.ts';
import { openBell } from '#core/queue/open-bell.ts';
import type { TurnRing } from '#core/turn/ring.ts';
import { describeOnRedis, describeQueues } from '#test/world/queues.ts';
import { createTestDatabase } from '#test/world/test-database.ts';
import { testRedisUrl } from '#test/world/test-redis.ts';
import { openLink } from '../../chaos/proxy/open-link.ts';

const PROVIDERS = Array.from({ length: 60 }, (_, number) => `p${number}`);
const SOON = { timeout: 100_000, interval: 50 };

/** Longer than a worker waits before it asks by itself, so that as many wakeups in a row cannot have been missed. */
const MANY = 20;

function turnRing(provider: string, own: Partial<TurnRing> = {}): TurnRing {
  return { kind: 'turn', turnId: newId('turn'), step: 'r1', number: 0, provider, priority: 0, ...own };
}

type Urls = { databaseUrl: string; redisUrl?: string | undefined };

async function newUrls(redis: boolean): Promise<Urls> {
  return { databaseUrl: await createTestDatabase(), redisUrl: redis ? testRedisUrl() : undefined };
}

/** A bell whose workers note which turns they were handed. */
async function openAnswered(urls: Urls, handle: (turnId: string) => Promise<void> = async () => {}) {
  const bell: Bell = await openBell(urls);
  const heard: string[] = [];
  const queues = PROVIDERS.map(turnsQueue);
  const answering = await bell.answer(
    queues,
    async ({ data }) => {
      if (!('turnId' in data)) return;
      heard.push(data.turnId);
      await handle(data.turnId);
    },
    1,
  );
  const ring = async (provider: string, own: Partial<TurnRing> = {}) => {
    const one = turnRing(provider, own);
    // Given up after a second, which a busy machine may take for sixty queues at once; twice is once.
    await vi.waitFor(() => bell.ring([one]), SOON);
    return one.turnId;
  };
  const close = async () => {
    await answering.close(60_000);
    await bell.close();
  };
  return { bell, heard, ring, [Symbol.asyncDispose]: close };
}

/** Ends every connection of these workers but those that the test itself holds. */
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

describeQueues(({ redis }) => {
  test('each of many queues is woken for each of its jobs', async () => {
    await using workers = await openAnswered(await newUrls(redis));
    const rung: string[] = [];

    for (const provider of PROVIDERS) {
      rung.push(await workers.ring(provider));
      await vi.waitFor(() => expect(workers.heard).toEqual(rung), SOON);
    }
    const atOnce = await Promise.all(PROVIDERS.map((provider) => workers.ring(provider)));

    await vi.waitFor(() => expect(workers.heard.toSorted()).toEqual([...rung, ...atOnce].toSorted()), SOON);
  });

  test('delayed jobs of many queues are found when they are due', async () => {
    await using workers = await openAnswered(await newUrls(redis));

    const delays = PROVIDERS.map((provider, place) => workers.ring(provider, { delayMs: 100 + 10 * place }));
    const rung = await Promise.all(delays);

    await vi.waitFor(() => expect(workers.heard.toSorted()).toEqual(rung.toSorted()), SOON);
  });

  test('waiting connections that are killed again and again are replaced', async () => {
    const urls = await newUrls(redis);
    await using workers = await openAnswered(urls);

    for (const provider of PROVIDERS.slice(0, 10)) {
      await killConnections(urls);
      const turnId = await workers.ring(provider);
      await vi.waitFor(() => expect(workers.heard).toContain(turnId), SOON);
    }
  });

  test('connections that go silent while their sockets stay open are replaced', { timeout: 240_000 }, async () => {
    const urls = await newUrls(redis);
    const target = new URL(urls.redisUrl ?? urls.databaseUrl);
    await using link = await openLink(Number(target.port));
    target.port = String(link.port);
    const linked = urls.redisUrl ? { ...urls, redisUrl: target.href } : { databaseUrl: target.href };
    await using workers = await openAnswered(linked);
    const first = await workers.ring('p0');
    await vi.waitFor(() => expect(workers.heard).toEqual([first]), SOON);

    link.setMode('blackhole');
    await expect(workers.bell.ring([turnRing('p1')])).rejects.toThrow();
    link.setMode('pass');

    const rung = await workers.ring('p1');
    await vi.waitFor(() => expect(workers.heard).toContain(rung), { timeout: 60_000 });
  });

  test('a job whose worker has no place left goes to the worker of another process', async () => {
    const urls = await newUrls(redis);
    const release = Promise.withResolvers<void>();
    let isFirst = true;
    const holdTheFirst = () => {
      const held = isFirst ? release.promise : undefined;
      isFirst = false;
      return Promise.resolve(held);
    };
    await using one = await openAnswered(urls, holdTheFirst);
    await using other = await openAnswered(urls, holdTheFirst);

    await one.ring('p0', { delayMs: 100 });
    await vi.waitFor(() => expect(isFirst).toBe(false), SOON);
    for (let time = 0; time < MANY; time += 1) {
      const turnId = await one.ring('p0');
      await vi.waitFor(() => expect([...one.heard, ...other.heard]).toContain(turnId), SOON);
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

  test('a marker that is taken while nobody here waits for it goes to another process', async () => {
    await using waiters = openWaiters();
    const [ours, theirs] = [waiters.here.join('queue'), waiters.there.join('queue')];

    await ours.wait(0.05);
    await waiters.sending.zadd('test:queue:marker', 7, '1');

    await vi.waitFor(async () => expect(await theirs.wait(1)).toEqual({ member: '1', score: 7 }), SOON);
  });

  test('a queue that comes to a connection which blocks for others is woken as well', async () => {
    await using waiters = openWaiters();
    const names = PROVIDERS.slice(0, 12);
    const places = names.map((name) => waiters.here.join(name));
    const waiting = places.map((place) => place.wait(600));

    for (let time = 0; time < MANY; time += 1) {
      await waiters.sending.zadd('test:p11:marker', 0, '0');
      expect(await waiting[11]).toEqual({ member: '0', score: 0 });
      waiting[11] = places[11]!.wait(600);
    }

    for (const place of places) place.interrupt();
    expect(await Promise.all(waiting)).toEqual(names.map(() => null));
  });
});
