import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRedisBackend, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Misconfigured } from '../../failure.ts';
import { prepareRedisConnection, REDIS_OPTIONS } from '../../redis-connection.ts';
import { type Backend, WORKER_OPTIONS } from '../bullmq/backend.ts';
import { withJobWaiter } from '../bullmq/job-waiter.ts';
import { BLOCK_S, blockForJobs } from './block-for-jobs.ts';
import { patchScripts } from './patch-scripts.ts';

/**
 * BullMQ on Redis. Refuses a Redis that may evict keys: it would silently run jobs twice or never. `onError` gets the reason
 * why a connection failed.
 */
export async function redisBackend(url: string, onError: (error: unknown) => void = () => {}): Promise<Backend> {
  const report = explainRedisErrors(url, onError);
  const prepare = (redis: Redis) => prepareRedisConnection(redis).on('error', report);
  const adding = prepare(
    new Redis(url, { ...REDIS_OPTIONS, ...FAIL_FAST, maxRetriesPerRequest: 1, lazyConnect: true }),
  );
  const working = prepare(new Redis(url, { ...REDIS_OPTIONS, maxRetriesPerRequest: null, lazyConnect: true }));
  const openBlocking = () => prepare(new Redis(url, { ...REDIS_OPTIONS, ...BLOCKING }));
  const waiter = blockForJobs(openBlocking, working, PREFIX);
  patchScripts(adding);
  patchScripts(working);
  await requireNoEviction(url, report);
  await Promise.race([adding.connect().catch(() => {}), sleep(CONNECT_MS, undefined, { ref: false })]);
  return {
    makeQueue: (name) => new Queue(name, { connection: adding, ...ALREADY_OPEN, prefix: PREFIX }),
    ackQueues: {
      make: (name) => new Queue(name, { connection: working, ...ALREADY_OPEN, prefix: PREFIX }),
      makeSilent: (name) => new Queue(name, { connection: working, ...ALREADY_OPEN, prefix: PREFIX }, silentBackend),
    },
    makeWorker: (name, process, concurrency) =>
      new Worker(
        name,
        process,
        { connection: working, prefix: PREFIX, concurrency, autorun: process !== null, ...WORKER_OPTIONS },
        withJobWaiter(createRedisBackend, waiter),
      ),
    close: async () => {
      await waiter.close();
      adding.disconnect();
      working.disconnect();
    },
  };
}

/** Leaves the marker that wakes a worker where none looks. */
const silentBackend: typeof createRedisBackend = (...options) => {
  const backend = createRedisBackend(...options);
  backend.keys.marker += ':silent';
  return backend;
};

/**
 * With these BullMQ opens a queue without a command to Redis. Its first command could fail, or be lost where a proxy
 * accepts connections for a Redis that is away. The queue would be dead for good.
 */
const ALREADY_OPEN = { skipWaitingForReady: true, skipVersionCheck: true };

const PREFIX = 'pawl';

const CONNECT_MS = 2_000;

/** A command that was cut off fails at once, and each is answered within its time, so silence is a dead connection. */
const BLOCKING = { maxRetriesPerRequest: 0, socketTimeout: BLOCK_S * 1_000 + 2_500 };

/** Enqueuing is given up after a second: by then its connection is not worth keeping either. */
const FAIL_FAST = { enableOfflineQueue: false, socketTimeout: 2_000 };

/** Checks once, over a connection of its own; a Redis that is away, or does not show its policy, is accepted. */
async function requireNoEviction(url: string, report: (error: unknown) => void): Promise<void> {
  const bounds = { connectTimeout: CONNECT_MS, commandTimeout: CONNECT_MS, retryStrategy: () => null };
  const redis = prepareRedisConnection(new Redis(url, bounds)).on('error', report);
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

const GREETING_EVERY_MS = 5_000;
const GREETING_TIMEOUT_MS = 1_000;

/**
 * Reports to `onError` why connections to a Redis fail. A Redis without a free connection says so and closes: a reset
 * to a client that has begun to send. So a connection that only reads is opened once more, every five seconds at most.
 */
function explainRedisErrors(url: string, onError: (error: unknown) => void): (error: unknown) => void {
  let readAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    onError(error);
    if (performance.now() - readAt < GREETING_EVERY_MS) return;
    readAt = performance.now();
    void readGreeting(url).then((greeting) => {
      if (greeting) onError(new Error(greeting));
    });
  };
}

/** What a server sends to a client that has just connected; empty for one that waits for commands, as Redis does. */
async function readGreeting(url: string): Promise<string> {
  const { hostname, port, protocol } = new URL(url);
  // Over TLS nothing is said before the handshake.
  if (protocol !== 'redis:') return '';
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 6379 });
  try {
    const [greeting] = await once(socket, 'data', { signal: AbortSignal.timeout(GREETING_TIMEOUT_MS) });
    return String(greeting).trim();
  } catch {
    return '';
  } finally {
    socket.destroy();
  }
}
