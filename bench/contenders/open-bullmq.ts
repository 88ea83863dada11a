import {
  createPostgresBackend,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  Queue,
  Worker,
} from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';

/** A step of a turn, as small as a job can say it. */
export type StepData = { turnId: string; step: number };

type Process = (job: { data: StepData }) => Promise<void>;

/** BullMQ on one of its stores, with nothing around it. */
export type BullMq = {
  makeQueue(name: string): Pick<Queue<StepData>, 'add' | 'close' | 'on'>;
  makeWorker(name: string, process: Process): Pick<Worker<StepData>, 'waitUntilReady' | 'close' | 'on'>;
  close(): Promise<void>;
};

const CONCURRENCY = 64;
const CONNECTIONS = 20;

/** BullMQ on Redis: a connection to add, one to work, and BullMQ's own ones to wait. */
export function openOnRedis(url: string): BullMq {
  const adding = new Redis(url, { maxRetriesPerRequest: null });
  const working = new Redis(url, { maxRetriesPerRequest: null });
  return {
    makeQueue: (name) => new Queue<StepData>(name, { connection: adding, prefix: 'bench' }),
    makeWorker: (name, process) =>
      new Worker<StepData>(name, process, { connection: working, prefix: 'bench', concurrency: CONCURRENCY }),
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

/** BullMQ on Postgres, migrated already, with one pool for everything. Jobs may get lost here, so no commit waits. */
export function openOnPostgres(url: string): BullMq {
  const options = '-c search_path=bullmq -c synchronous_commit=off';
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS, keepAlive: true, options });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const connection = pool as unknown as PostgresConnectionOptions;
  return {
    makeQueue: (name) =>
      new Queue(name, { connection }, createPostgresBackend) as PgQueue as unknown as Queue<StepData>,
    makeWorker: (name, process) =>
      new Worker(
        name,
        process,
        { connection, concurrency: CONCURRENCY },
        createPostgresBackend,
      ) as unknown as Worker<StepData>,
    close: () => pool.end(),
  };
}
