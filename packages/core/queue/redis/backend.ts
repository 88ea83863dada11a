import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRedisBackend, Queue } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { type ConnectionOptions, openClusterConnection, openRedisConnection } from '../../redis-connection.ts';
import type { RedisUrl } from '../../redis-url.ts';
import { type Backend, workerOptions } from '../bullmq/backend.ts';
import { withJobWaiter } from '../bullmq/job-waiter.ts';
import { ParallelWorker } from '../bullmq/parallel-worker.ts';
import { BLOCK_S, blockForJobs } from './block-for-jobs.ts';
import { findEviction } from './eviction.ts';
import { patchScripts } from './patch-scripts.ts';
import { requireRedis } from './require-redis.ts';

type NamedRedis = { to: RedisUrl; name: string };

/** BullMQ on Redis. Refuses a Redis that is too old or evicts keys. `onError` gets why a connection failed. */
export async function redisBackend(
  { to, name }: NamedRedis,
  onError: (error: unknown) => void = () => {},
): Promise<Backend & { isOpen(): boolean }> {
  const report = explainRedisErrors(to, onError);
  const prefix = to.kind === 'cluster' ? CLUSTER_PREFIX : PREFIX;
  const adding = openClient(to, report, { ...FAIL_FAST, maxRetriesPerRequest: 1, lazyConnect: true });
  const working = openClient(to, report, { maxRetriesPerRequest: null, lazyConnect: true });
  const waiter = blockForJobs(() => openClient(to, report, BLOCKING), working, prefix);
  patchScripts(adding);
  patchScripts(working);
  await requireRedis({ to, name, report });
  await Promise.race([adding.connect().catch(() => {}), sleep(CONNECT_MS, undefined, { ref: false })]);
  const ahead = { connection: working, ...ALREADY_OPEN, prefix };
  return {
    makeQueue: (name) => new Queue(name, { connection: adding, ...ALREADY_OPEN, prefix }),
    // A cluster may send a command to another node and again, so that it comes after a later one.
    ackQueues:
      to.kind === 'cluster'
        ? null
        : { make: (name) => new Queue(name, ahead), makeSilent: (name) => new Queue(name, ahead, silentBackend) },
    makeWorker: (name, process, concurrency) =>
      new ParallelWorker(
        name,
        process,
        { connection: working, prefix, ...workerOptions(process, concurrency) },
        withJobWaiter(createRedisBackend, waiter),
      ),
    isOpen: () => adding.status === 'ready',
    findEviction: () => findEviction(adding),
    close: async () => {
      await waiter.close();
      adding.disconnect();
      working.disconnect();
    },
  };
}

function openClient(to: RedisUrl, report: (error: unknown) => void, options: ConnectionOptions): Redis | Cluster {
  if (to.kind !== 'cluster') return openRedisConnection(to, options).on('error', report);
  return openClusterConnection(to, options).on('error', report).on('node error', report);
}

/** Leaves the marker that wakes a worker where none looks. */
const silentBackend: typeof createRedisBackend = (...options) => {
  const backend = createRedisBackend(...options);
  backend.keys.marker += ':silent';
  return backend;
};

/** Opens a queue without a command to Redis, which could be lost, and the queue would be dead for good. */
const ALREADY_OPEN = { skipWaitingForReady: true, skipVersionCheck: true };

const PREFIX = 'pawl';

/** Its tag keeps all keys on one node: a worker waits for several queues in one command. */
const CLUSTER_PREFIX = '{pawl}';

const CONNECT_MS = 2_000;

/** A command that was cut off fails at once, and each is answered within its time, so silence is a dead connection. */
const BLOCKING = { maxRetriesPerRequest: 0, socketTimeout: BLOCK_S * 1_000 + 2_500 };

/** Enqueuing is given up after a second: by then its connection is not worth keeping either. */
const FAIL_FAST = { enableOfflineQueue: false, socketTimeout: 2_000 };

const GREETING_EVERY_MS = 5_000;
const GREETING_TIMEOUT_MS = 1_000;

/**
 * Reports to `onError` why connections to a Redis fail. A Redis without a free connection says so and closes: a reset
 * to a client that has begun to send. So a connection that only reads is opened once more, every five seconds at most.
 */
function explainRedisErrors(to: RedisUrl, onError: (error: unknown) => void): (error: unknown) => void {
  let readAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    onError(error);
    if (performance.now() - readAt < GREETING_EVERY_MS) return;
    readAt = performance.now();
    // Sentinel and clusters have many hosts, and which one failed is not known here.
    if (to.kind !== 'single') return;
    void readGreeting(to.url).then((greeting) => {
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
