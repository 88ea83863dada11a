import {
  createPostgresBackend,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  Queue,
  Worker,
} from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Mode } from '../mode.ts';

/** A step of a turn, as small as the data of a job can be. */
export type StepData = { turnId: string; step: string };

type Process = (job: { data: StepData }) => Promise<void>;

/** BullMQ on one of its stores, with nothing around it. */
export type BullMq = {
  makeQueue(name: string): Pick<Queue<StepData>, 'add' | 'close'>;
  makeWorker(name: string, process: Process): Pick<Worker<StepData>, 'waitUntilReady' | 'close'>;
  close(): Promise<void>;
};

/** Where BullMQ keeps its jobs. */
export type Stores = { databaseUrl: string; redisUrl: string | undefined };

const CONCURRENCY = 64;
const CONNECTIONS = 20;

/** BullMQ on the store of the mode. `durable` jobs on Postgres are on the disk before they are acknowledged. */
export function openBullMq(stores: Stores, mode: Mode, { durable }: { durable: boolean }): BullMq {
  if (mode === 'postgres') return onPostgres(stores.databaseUrl, durable);
  if (stores.redisUrl) return onRedis(stores.redisUrl);
  throw new Error('There is no Redis. Put redis-server on the PATH, set REDIS_URL, or pass --modes postgres.');
}

/** A connection to add, one to work, and BullMQ's own connections to wait. */
function onRedis(url: string): BullMq {
  const adding = new Redis(url, { maxRetriesPerRequest: null });
  const working = new Redis(url, { maxRetriesPerRequest: null });
  return {
    makeQueue: (name) => quiet(new Queue<StepData>(name, { connection: adding, prefix: 'bench' })),
    makeWorker: (name, process) =>
      quiet(new Worker<StepData>(name, process, { connection: working, prefix: 'bench', concurrency: CONCURRENCY })),
    close: async () => {
      adding.disconnect();
      working.disconnect();
    },
  };
}

type PgQueue = Queue<
  StepData,
  unknown,
  string,
  StepData,
  unknown,
  string,
  PostgresQueueBackend,
  PostgresConnectionOptions
>;

/** Where BullMQ's schema is as BullMQ leaves it, beside the one that Pawl has. */
export const STOCK_SCHEMA = 'stock_bullmq';

/** One pool for everything; the schema is migrated already. */
function onPostgres(url: string, durable: boolean): BullMq {
  const options = `-c search_path=${STOCK_SCHEMA} -c synchronous_commit=${durable ? 'on' : 'off'}`;
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, keepAlive: true, options });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  // BullMQ takes a pool although its types know only the client's options.
  const connection = pool as unknown as PostgresConnectionOptions;
  const makeWorker = (name: string, process: Process) =>
    new Worker(name, process, { connection, concurrency: CONCURRENCY }, createPostgresBackend);
  return {
    makeQueue: (name) => {
      const queue: PgQueue = new Queue(name, { connection }, createPostgresBackend);
      return quiet(queue as unknown as Queue<StepData>);
    },
    makeWorker: (name, process) => quiet(makeWorker(name, process) as unknown as Worker<StepData>),
    close: () => pool.end(),
  };
}

function quiet<T extends { on(event: 'error', listener: () => void): unknown }>(part: T): T {
  part.on('error', () => {});
  return part;
}
