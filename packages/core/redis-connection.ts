import type { Writable } from 'node:stream';
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import { Misconfigured } from './failure.ts';
import { parseRedisUrls, type RedisAddress, type RedisUrl } from './redis-url.ts';

/** The options of every connection to Redis. A socket that stays silent this long is closed and opened again. */
const REDIS_OPTIONS = {
  connectTimeout: 5_000,
  socketTimeout: 15_000,
  retryStrategy: (times: number) => Math.min(times * 100, 2_000),
};

/** The options in which connections of Pawl differ. */
export type ConnectionOptions = Pick<
  RedisOptions,
  | 'commandTimeout'
  | 'connectTimeout'
  | 'enableOfflineQueue'
  | 'lazyConnect'
  | 'maxRetriesPerRequest'
  | 'retryStrategy'
  | 'sentinelRetryStrategy'
  | 'socketTimeout'
>;

/** Reads REDIS_URL. Refuses a wrong value with a sentence that shows the correct form. */
export function readRedisUrls(text: string): RedisAddress[] {
  const read = parseRedisUrls(text);
  if (read.kind === 'wrong') throw new Misconfigured(`REDIS_URL: ${read.advice}.`);
  return read.all;
}

/**
 * Opens a connection to a Redis: the only server, Sentinel's master, or any node. Leaves its errors to its commands.
 */
export function openRedisConnection(to: RedisUrl, options: ConnectionOptions): Redis {
  const all = { ...REDIS_OPTIONS, ...options };
  switch (to.kind) {
    case 'single':
      return prepareRedisConnection(new Redis(to.url, all));
    case 'sentinel':
      return prepareRedisConnection(new Redis({ ...all, ...sentinelOptions(to) }));
    case 'cluster':
      return openSomeNode(to, all);
  }
}

/** Opens a connection that sends each command to the node of a cluster that has its keys. */
export function openClusterConnection(
  to: Extract<RedisUrl, { kind: 'cluster' }>,
  { lazyConnect, enableOfflineQueue, ...options }: ConnectionOptions,
  own: Pick<ClusterOptions, 'clusterRetryStrategy'> = {},
): Cluster {
  const { retryStrategy, ...each } = { ...REDIS_OPTIONS, ...options };
  const cluster = new Cluster(to.nodes, {
    ...(lazyConnect && { lazyConnect }),
    enableOfflineQueue: enableOfflineQueue ?? true,
    clusterRetryStrategy: REDIS_OPTIONS.retryStrategy,
    // Certificates contain names, not addresses.
    ...(to.tls && { dnsLookup: (host, found) => found(null, host) }),
    redisOptions: { ...each, ...to.access, ...(to.tls && { tls: {} }) },
    ...own,
  });
  cluster.on('error', () => {});
  cluster.on('+node', prepareRedisConnection);
  return cluster;
}

/**
 * Returns the options for Sentinel. The master may change at any time, so a Redis that has become a replica is left.
 */
function sentinelOptions(to: Extract<RedisUrl, { kind: 'sentinel' }>) {
  const { username, password } = to.sentinelAccess;
  return {
    ...{ sentinels: to.nodes, name: to.master, db: to.db, ...to.access },
    ...(username && { sentinelUsername: username }),
    ...(password && { sentinelPassword: password }),
    ...(to.tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
  };
}

/** Opens a connection to any node. Its options are read again at each try, so a retry may change the host. */
function openSomeNode(
  { nodes, access, tls }: Extract<RedisUrl, { kind: 'cluster' }>,
  options: ConnectionOptions,
): Redis {
  let index = Math.floor(Math.random() * nodes.length);
  const retryStrategy = (times: number) => {
    index = (index + 1) % nodes.length;
    Object.assign(redis.options, nodes[index]);
    return options.retryStrategy?.(times);
  };
  const redis = new Redis({ ...options, ...nodes[index], ...access, ...(tls && { tls: {} }), retryStrategy });
  return prepareRedisConnection(redis);
}

function prepareRedisConnection(redis: Redis): Redis {
  redis.on('error', () => {});
  redis.on('connect', () => corkWrites(redis.stream));
  return redis;
}

/** Gathers the writes to a socket within one turn of the event loop, since a system call costs more than its bytes. */
function corkWrites(socket: Writable): void {
  const write = socket.write;
  const uncork = () => socket.uncork();
  const gather = (...args: unknown[]) => {
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(uncork);
    }
    return Reflect.apply(write, socket, args);
  };
  socket.write = gather as Writable['write'];
}
