import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { openLink } from '../harness/links/open-link.ts';
import { openFailoverPair } from '../harness/stores/open-failover-pair.ts';
import { openPostgres } from '../harness/stores/open-postgres.ts';
import { openRedis, type TestRedis } from '../harness/stores/redis/open-redis.ts';
import { openSentinels } from '../harness/stores/redis/open-sentinels.ts';
import type { Options } from './read-options.ts';

/** The PostgreSQL of a run: one server, or a pair with a primary on either side. */
export type ChaosPostgres = AsyncDisposable & {
  /** The driver's URL, which leads to the present primary. */
  url: string;
  ports: number[];
  /** Stops the primary as a crash would. It stays down until `start`. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** The failover of a pair, or null without a standby. */
  pair: PostgresFailover | null;
};

export type PostgresFailover = {
  /** Kills the primary, and promotes its standby after a while. */
  failOver(awayMs: number): Promise<void>;
  replaceStandby(): Promise<void>;
  /** Parts the standby from its primary. The returned function ends the partition. */
  partStandby(): () => void;
};

/** The Redis of a run: one server, or a master with a replica, watched by Sentinels. */
export type ChaosRedis = {
  url: string;
  /** The driver's own connection to the present master. */
  client: Redis;
  /** The single server, or null. */
  single: TestRedis | null;
  trio: RedisFailover | null;
  /** Waits until a failover of a fault is over, and all nodes have their settings back. */
  settle(): Promise<void>;
};

export type RedisFailover = { failOver(): Promise<void> };

export type ChaosStores = AsyncDisposable & {
  postgres: ChaosPostgres;
  /** Null if the queue is on Postgres. */
  redis: ChaosRedis | null;
};

export async function openStores(
  folder: string,
  { queue, stores }: Pick<Options, 'queue' | 'stores'>,
): Promise<ChaosStores> {
  await using opened = new AsyncDisposableStack();
  const open = stores === 'failover' ? openPair : openSingle;
  const postgres = opened.use(await open(join(folder, 'postgres')));
  const openQueue = stores === 'failover' ? openTrio : openOne;
  const redis = queue === 'redis' ? opened.use(await openQueue(join(folder, 'redis'))) : null;
  const closing = opened.move();
  return { postgres, redis, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

async function openSingle(folder: string): Promise<ChaosPostgres> {
  const postgres = await openPostgres({ folder, durable: true });
  const { url, port, crash, start } = postgres;
  return { url, ports: [port], crash, start, pair: null, [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose]() };
}

async function openPair(folder: string): Promise<ChaosPostgres> {
  await using opened = new AsyncDisposableStack();
  const pair = opened.use(await openFailoverPair({ folder, durable: true }));
  const portOfPrimary = () => Number(new URL(pair.primaryUrl()).port);
  const driver = opened.use(await openLink(portOfPrimary()));
  const url = Object.assign(new URL(pair.primaryUrl()), { port: String(driver.port) }).href;
  const failOver = async (awayMs: number) => {
    await pair.killPrimary();
    await sleep(awayMs);
    await pair.promote();
    driver.setTarget(portOfPrimary());
  };
  const partStandby = () => pair.replication().impose('hold');
  const closing = opened.move();
  return {
    url,
    ports: pair.ports,
    crash: pair.crashPrimary,
    start: pair.startPrimary,
    pair: { failOver, replaceStandby: pair.replaceStandby, partStandby },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function openOne(folder: string): Promise<ChaosRedis & AsyncDisposable> {
  const single = required(await openRedis({ folder }));
  const { url, client } = single;
  const dispose = () => single[Symbol.asyncDispose]();
  return { url, client, single, trio: null, settle: async () => {}, [Symbol.asyncDispose]: dispose };
}

async function openTrio(): Promise<ChaosRedis & AsyncDisposable> {
  const sentinels = required(await openSentinels());
  const { url, client, failOver, master, replica, rejoin } = sentinels;
  const settle = async () => {
    await rejoin();
    for (const node of [master, replica]) await node.client.config('SET', 'maxmemory', '0');
  };
  const dispose = () => sentinels[Symbol.asyncDispose]();
  return { url, client, single: null, trio: { failOver }, settle, [Symbol.asyncDispose]: dispose };
}

function required<Opened>(redis: Opened | null): Opened {
  if (redis) return redis;
  throw new Error('`redis-server` is not on the PATH. Install it, or choose `--queue postgres`.');
}
