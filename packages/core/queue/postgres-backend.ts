import {
  createPostgresBackend,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  Queue,
  runMigrations,
  Worker,
} from 'bullmq';
import pg from 'pg';
import { type Backend, type BullQueue, type BullWorker, WORKER_OPTIONS } from './backend.ts';
import type { JobData } from './job.ts';

type PgQueue = Queue<
  JobData,
  unknown,
  string,
  JobData,
  unknown,
  string,
  PostgresQueueBackend,
  PostgresConnectionOptions
>;

/** BullMQ on the PostgreSQL that holds the turns, in a schema of its own; for where there is no Redis. */
export function postgresBackend(url: string, poolSize = 20): Backend {
  const pool = openPool(url, poolSize);
  const connection = pool as unknown as PostgresConnectionOptions;
  return {
    makeQueue: (name) => new Queue(name, { connection }, createPostgresBackend) as PgQueue as unknown as BullQueue,
    makeWorker: (name, process, concurrency) =>
      new Worker(
        name,
        process,
        { connection, concurrency, autorun: process !== null, ...WORKER_OPTIONS },
        createPostgresBackend,
      ) as unknown as BullWorker,
    close: () => pool.end(),
  };
}

/** Brings BullMQ's own schema up to date. */
export async function migrateQueue(url: string): Promise<void> {
  const pool = openPool(url, 1);
  const client = await pool.connect();
  try {
    await runMigrations(client as never);
  } finally {
    client.release();
    await pool.end();
  }
}

/** A job lost with the database is rung again, so no commit of the queue's waits for the disk. */
function openPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    options: '-c search_path=bullmq -c synchronous_commit=off',
    application_name: 'pawl-queue',
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
