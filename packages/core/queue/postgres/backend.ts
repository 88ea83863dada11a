import {
  createPostgresBackend,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  Queue,
  runMigrations,
} from 'bullmq';
import pg from 'pg';
import type { DatabaseUrls } from '../../postgres/hosts.ts';
import { writerAt } from '../../postgres/writer.ts';
import { type Backend, type BullQueue, type BullWorker, WORKER_OPTIONS } from '../bullmq/backend.ts';
import { withJobWaiter } from '../bullmq/job-waiter.ts';
import { ParallelWorker } from '../bullmq/parallel-worker.ts';
import { patchPublishEvent } from '../bullmq/patch-publish-event.ts';
import type { JobData } from '../job.ts';
import { debounceWakeups } from './debounce-wakeups.ts';
import { listenForJobs } from './listen-for-jobs.ts';
import { patchPool } from './patch-pool.ts';

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

/** Connections at most: statements of one moment go together, so more would only stand by. */
const POOL_SIZE = 4;

/**
 * BullMQ on the PostgreSQL of the turns, in a schema of its own; for where there is no Redis. `onError` gets the reason why a
 * connection failed.
 */
export function postgresBackend(
  { databaseUrl, directUrl = databaseUrl }: DatabaseUrls,
  onError: (error: unknown) => void = () => {},
): Backend {
  const pool = openPool(databaseUrl, { max: POOL_SIZE, durability: 'off' });
  const connection = pool as unknown as PostgresConnectionOptions;
  const waiter = listenForJobs(directUrl, onError);
  const workerBackend = debounceWakeups(withJobWaiter(createPostgresBackend, waiter));
  const makeQueue = (name: string) => new Queue(name, { connection }, createPostgresBackend) as PgQueue;
  const makeWorker: Backend['makeWorker'] = (name, process, concurrency) => {
    const options = { connection, concurrency, autorun: process !== null, ...WORKER_OPTIONS };
    return new ParallelWorker(name, process, options as never, workerBackend as never).on(
      'error',
      onError,
    ) as unknown as BullWorker;
  };
  return {
    makeQueue: (name) => makeQueue(name) as unknown as BullQueue,
    ackQueues: null,
    makeWorker,
    isOpen: () => true,
    findEviction: async () => null,
    close: async () => {
      await waiter.close();
      await pool.end();
    },
  };
}

/** Brings BullMQ's own schema up to date, durably: the caller goes on without checking it again. */
export async function migrateQueue(url: string): Promise<void> {
  const pool = openPool(url, { max: 1, durability: 'on' });
  const client = await pool.connect();
  try {
    await runMigrations(client as never);
    await patchPublishEvent(client);
  } finally {
    client.release();
    await pool.end();
  }
}

/**
 * A job that is lost with the database is enqueued again, so no commit of a job waits for the disk. Each statement has an index:
 * one that is planned while no job is kept would read the whole table instead, and sessions keep that plan when jobs come.
 */
function openPool(url: string, { max, durability }: { max: number; durability: 'on' | 'off' }): pg.Pool {
  const writer = writerAt(url);
  const settings = { search_path: 'bullmq', synchronous_commit: durability, enable_seqscan: 'off' };
  const pool = new pg.Pool({
    connectionString: writer.url,
    ...(writer.stream && { stream: writer.stream }),
    max,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    // A connection that has not answered in that time is closed; without this, BullMQ gives it back and is given it again.
    pipeline: true,
    ...(!writer.isPooled && { options: each(settings, '-c').join(' ') }),
    application_name: 'pawl-queue',
  });
  patchPool(pool, { setLocal: writer.isPooled ? each(settings, 'set local') : null, prepares: writer.prepares });
  // BullMQ adds a listener for each queue and worker.
  pool.setMaxListeners(0);
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function each(settings: Record<string, string>, verb: '-c' | 'set local'): string[] {
  return Object.entries(settings).map(([name, value]) => `${verb} ${name}=${value}`);
}
