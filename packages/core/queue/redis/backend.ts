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

/**
 * Runs BullMQ on Redis. Refuses a Redis that is too old or evicts keys. `onError` gets the reason of a failed
 * connection.
 */
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
    // A cluster may redirect a command to another node, so that a later command overtakes it.
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

/** A backend that writes the marker, which wakes a worker, to a key that no worker reads. */
const silentBackend: typeof createRedisBackend = (...options) => {
  const backend = createRedisBackend(...options);
  backend.keys.marker += ':silent';
  return backend;
};

/**
 * The options that open a queue without a command to Redis. If that command were lost, the queue would be dead
 * permanently.
 */
const ALREADY_OPEN = { skipWaitingForReady: true, skipVersionCheck: true };

const PREFIX = 'pawl';

/**
 * The prefix of keys in a cluster. Its tag keeps all keys on one node, since a worker waits for several queues in one
 * command.
 */
const CLUSTER_PREFIX = '{pawl}';

const CONNECT_MS = 2_000;

/**
 * The options of blocking connections. An interrupted command fails at once, and each is answered within its time, so
 * silence means a dead connection.
 */
const BLOCKING = { maxRetriesPerRequest: 0, socketTimeout: BLOCK_S * 1_000 + 2_500 };

/** The options for enqueuing, which is given up after a second. Its connection is not worth keeping then either. */
const FAIL_FAST = { enableOfflineQueue: false, socketTimeout: 2_000 };

const GREETING_EVERY_MS = 5_000;
const GREETING_TIMEOUT_MS = 1_000;

/**
 * Reports to `onError` why connections to a Redis fail. A Redis without a free connection sends the reason and
 * closes. For a client that has begun to send, this is a reset. So a connection that only reads is opened once more,
 * every five seconds at most.
 */
function explainRedisErrors(to: RedisUrl, onError: (error: unknown) => void): (error: unknown) => void {
  let readAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    onError(error);
    if (performance.now() - readAt < GREETING_EVERY_MS) return;
    readAt = performance.now();
    // Sentinel and clusters have many hosts, and the failed host is not known here.
    if (to.kind !== 'single') return;
    void readGreeting(to.url).then((greeting) => {
      if (greeting) onError(new Error(greeting));
    });
  };
}

/**
 * Reads the greeting that a server sends to a new client. It is empty if the server waits for commands, as Redis
 * does.
 */
async function readGreeting(url: string): Promise<string> {
  const { hostname, port, protocol } = new URL(url);
  // With TLS, a server sends no greeting before the handshake.
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
