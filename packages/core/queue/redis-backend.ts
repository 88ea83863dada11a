import { setTimeout as sleep } from 'node:timers/promises';
import { createRedisBackend, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Misconfigured } from '../failure.ts';
import { REDIS_OPTIONS, tendRedis } from '../redis-options.ts';
import { type Backend, WORKER_OPTIONS } from './backend.ts';
import { BLOCK_S, blockForJobs } from './block-for-jobs.ts';
import { hearRedisErrors } from './hear-redis-errors.ts';
import { unhurried } from './unhurried.ts';
import { waitTogether } from './wait-together.ts';

/**
 * BullMQ on Redis. Refuses a Redis that may evict keys: it would silently run jobs twice or never. `onError` hears why a
 * connection failed.
 */
export async function redisBackend(url: string, onError: (error: unknown) => void = () => {}): Promise<Backend> {
  const hear = hearRedisErrors(url, onError);
  const tend = (redis: Redis) => tendRedis(redis).on('error', hear);
  const ringing = tend(new Redis(url, { ...REDIS_OPTIONS, ...AT_ONCE, maxRetriesPerRequest: 1, lazyConnect: true }));
  const working = tend(new Redis(url, { ...REDIS_OPTIONS, maxRetriesPerRequest: null, lazyConnect: true }));
  const openBlocking = () => tend(new Redis(url, { ...REDIS_OPTIONS, ...BLOCKING }));
  const waiter = blockForJobs(openBlocking, working, PREFIX);
  const workerBackend = unhurried(waitTogether(createRedisBackend, waiter));
  await requireNoEviction(url, hear);
  await Promise.race([ringing.connect().catch(() => {}), sleep(CONNECT_MS, undefined, { ref: false })]);
  return {
    makeQueue: (name) => new Queue(name, { connection: ringing, ...ALREADY_OPEN, prefix: PREFIX }),
    makeQueueAhead: (name) => new Queue(name, { connection: working, ...ALREADY_OPEN, prefix: PREFIX }),
    makeWorker: (name, process, concurrency) =>
      new Worker(
        name,
        process,
        { connection: working, prefix: PREFIX, concurrency, autorun: process !== null, ...WORKER_OPTIONS },
        workerBackend,
      ),
    close: async () => {
      await waiter.close();
      ringing.disconnect();
      working.disconnect();
    },
  };
}

/**
 * With these BullMQ opens a queue without a word to Redis. Its first question could fail, or be lost where something
 * accepts connections for a Redis that is away, and the queue would be dead for good.
 */
const ALREADY_OPEN = { skipWaitingForReady: true, skipVersionCheck: true };

const PREFIX = 'pawl';

const CONNECT_MS = 2_000;

/** A command that was cut off is told so at once, and each is answered within its time, so silence is a dead connection. */
const BLOCKING = { maxRetriesPerRequest: 0, socketTimeout: BLOCK_S * 1_000 + 2_500 };

/** A ring is given up after a second: by then its connection is not worth keeping either. */
const AT_ONCE = { enableOfflineQueue: false, socketTimeout: 2_000 };

/** Asks once, over a connection of its own; a Redis that is away, or that tells nobody, is taken as it comes. */
async function requireNoEviction(url: string, hear: (error: unknown) => void): Promise<void> {
  const bounds = { connectTimeout: CONNECT_MS, commandTimeout: CONNECT_MS, retryStrategy: () => null };
  const redis = tendRedis(new Redis(url, bounds)).on('error', hear);
  const policy = await redis.config('GET', 'maxmemory-policy').then(
    (reply) => (reply as string[])[1],
    (error: Error) => (/^(?:NOAUTH|WRONGPASS)/.test(error.message) ? 'refused' : undefined),
  );
  redis.disconnect();
  if (policy === 'refused') {
    throw new Misconfigured('Redis at REDIS_URL refused the user or password. Check both in REDIS_URL.');
  }
  if (policy === undefined || policy === 'noeviction') return;
  throw new Misconfigured(
    `Redis at REDIS_URL evicts keys (maxmemory-policy ${policy}), which loses and doubles jobs. Set maxmemory-policy to noeviction.`,
  );
}
