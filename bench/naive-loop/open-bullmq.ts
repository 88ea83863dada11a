import { createPostgresBackend, type PostgresConnectionOptions, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';

/** A step of a turn, as small as the data of a job can be. */
export type StepData = { turnId: string; step: string };

type Process = (job: { data: StepData }) => Promise<void>;

/** BullMQ on one of its stores, without additions. */
export type BullMq = {
  queue: Pick<Queue<StepData>, 'add' | 'close'>;
  makeWorker(process: Process): Pick<Worker<StepData>, 'waitUntilReady' | 'close'>;
  close(): Promise<void>;
};

const QUEUE = 'turns';
const CONCURRENCY = 64;
const CONNECTIONS = 20;

/** Opens BullMQ on Redis or, without an address of Redis, on PostgreSQL. */
export function openBullMq(databaseUrl: string, redisUrl: string | undefined): BullMq {
  return redisUrl ? onRedis(redisUrl) : onPostgres(databaseUrl);
}

/** Opens BullMQ on Redis: a connection to add jobs, a connection to work, and BullMQ's own connections to wait. */
function onRedis(url: string): BullMq {
  const adding = new Redis(url, { maxRetriesPerRequest: null });
  const working = new Redis(url, { maxRetriesPerRequest: null });
  return {
    queue: quiet(new Queue<StepData>(QUEUE, { connection: adding, prefix: 'bench' })),
    makeWorker: (process) =>
      quiet(new Worker<StepData>(QUEUE, process, { connection: working, prefix: 'bench', concurrency: CONCURRENCY })),
    close: async () => {
      adding.disconnect();
      working.disconnect();
    },
  };
}

/** The schema that BullMQ creates, beside the schema that Pawl creates for it. */
export const STOCK_SCHEMA = 'stock_bullmq';

/**
 * Opens BullMQ on PostgreSQL with one pool. The schema is already migrated. Jobs are on the disk before they are
 * acknowledged.
 */
function onPostgres(url: string): BullMq {
  const options = `-c search_path=${STOCK_SCHEMA} -c synchronous_commit=on`;
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, keepAlive: true, options });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  // BullMQ accepts a pool, although its types allow only the client's options.
  const connection = pool as unknown as PostgresConnectionOptions;
  const makeWorker = (process: Process) =>
    new Worker(QUEUE, process, { connection, concurrency: CONCURRENCY }, createPostgresBackend);
  return {
    queue: quiet(new Queue(QUEUE, { connection }, createPostgresBackend) as unknown as Queue<StepData>),
    makeWorker: (process) => quiet(makeWorker(process) as unknown as Worker<StepData>),
    close: () => pool.end(),
  };
}

function quiet<T extends { on(event: 'error', listener: () => void): unknown }>(part: T): T {
  part.on('error', () => {});
  return part;
}
