import { createPostgresBackend, type PostgresConnectionOptions, Queue } from 'bullmq';
import type { DatabaseUrls } from '../../postgres/hosts.ts';
import { type Backend, type BullQueue, type BullWorker, workerOptions } from '../bullmq/backend.ts';
import { withJobWaiter } from '../bullmq/job-waiter.ts';
import { ParallelWorker } from '../bullmq/parallel-worker.ts';
import { debounceWakeups } from './debounce-wakeups.ts';
import { listenForJobs } from './listen-for-jobs.ts';
import { openPool } from './open-pool.ts';

/** The maximum of connections. Statements of one moment are sent together, so more connections would be idle. */
const POOL_SIZE = 4;

/** Runs BullMQ on the PostgreSQL of the turns, without Redis. `onError` gets the reason of a failed connection. */
export function postgresBackend(
  { databaseUrl, directUrl = databaseUrl }: DatabaseUrls,
  onError: (error: unknown) => void = () => {},
): Backend {
  const pool = openPool(databaseUrl, { max: POOL_SIZE, durability: 'off' });
  const connection = pool as unknown as PostgresConnectionOptions;
  const waiter = listenForJobs(directUrl, onError);
  const workerBackend = debounceWakeups(withJobWaiter(createPostgresBackend, waiter));
  const makeWorker: Backend['makeWorker'] = (name, process, concurrency) => {
    const options = { connection, ...workerOptions(process, concurrency) };
    return new ParallelWorker(name, process, options as never, workerBackend as never).on(
      'error',
      onError,
    ) as unknown as BullWorker;
  };
  return {
    makeQueue: (name) => new Queue(name, { connection }, createPostgresBackend) as unknown as BullQueue,
    ackQueues: null,
    makeWorker,
    findEviction: async () => null,
    close: async () => {
      await waiter.close();
      await pool.end();
    },
  };
}
