import type { Job as BullJob, Queue, Worker } from 'bullmq';
import type { JobData } from '../job.ts';

type Processor = (job: BullJob<JobData>) => Promise<void>;

/** How BullMQ reaches its store; all that Redis and Postgres differ in. */
export type Backend = {
  makeQueue(name: string): BullQueue;
  /**
   * Queues on the acknowledging connection, in order; a silent one wakes no worker. Null if a store keeps no order.
   */
  ackQueues: { make(name: string): BullQueue; makeSilent(name: string): BullQueue } | null;
  makeWorker(name: string, process: Processor | null, concurrency: number): BullWorker;
  /** The policy by which the store may lose jobs when its memory is full; null for none. */
  findEviction(): Promise<string | null>;
  close(): Promise<void>;
};

export type BullQueue = Pick<Queue<JobData>, 'add' | 'close' | 'getJobCounts' | 'on' | 'waitUntilReady'>;

export type BullWorker = Pick<Worker<JobData>, 'close' | 'concurrency' | 'on' | 'getNextJob' | 'waitUntilReady'> & {
  hasFreePlace(): boolean;
};

/**
 * The options of workers. The lock outlives a lease (R11). Stalls never fail a job: a turn fails by our own
 * count. BullMQ's own pause after a refused connection is longer than we may be away.
 */
const WORKER_OPTIONS = {
  lockDuration: 15_000,
  stalledInterval: 5_000,
  runRetryDelay: 1_000,
  maxStalledCount: 1_000_000,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
};

/** BullMQ does not renew the lock of a job that is taken by hand, so the lock lasts ten minutes. */
const BY_HAND = { autorun: false, lockDuration: 600_000 };

/** Returns the options of a worker. Without `process` the worker takes jobs by hand. */
export function workerOptions(process: Processor | null, concurrency: number) {
  return { ...WORKER_OPTIONS, concurrency, ...(process ? {} : BY_HAND) };
}
