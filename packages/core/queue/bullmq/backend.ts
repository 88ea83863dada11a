import type { Job as BullJob, Queue, Worker } from 'bullmq';
import type { JobData } from '../job.ts';

type Processor = (job: BullJob<JobData>) => Promise<void>;

/** The access of BullMQ to its store. It has all differences between Redis and PostgreSQL. */
export type Backend = {
  makeQueue(name: string): BullQueue;
  /**
   * Queues on the acknowledging connection, in order. A silent queue wakes no worker. Null if a store keeps no order.
   */
  ackQueues: { make(name: string): BullQueue; makeSilent(name: string): BullQueue } | null;
  makeWorker(name: string, process: Processor | null, concurrency: number): BullWorker;
  /** Returns the policy by which the store may lose jobs when its memory is full, or null. */
  findEviction(): Promise<string | null>;
  close(): Promise<void>;
};

export type BullQueue = Pick<Queue<JobData>, 'add' | 'close' | 'getJobCounts' | 'on' | 'waitUntilReady'>;

export type BullWorker = Pick<Worker<JobData>, 'close' | 'concurrency' | 'on' | 'getNextJob' | 'waitUntilReady'> & {
  hasFreeSlot(): boolean;
};

/**
 * The options of workers. The lock outlives a lease (R11). Stalls never fail a job: a turn fails by Pawl's own count.
 * BullMQ's own pause after a refused connection is longer than Pawl may be away.
 */
const WORKER_OPTIONS = {
  lockDuration: 15_000,
  stalledInterval: 5_000,
  runRetryDelay: 1_000,
  maxStalledCount: 1_000_000,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
};

/** The options for jobs that are taken by hand. BullMQ does not renew their lock, so the lock lasts ten minutes. */
const BY_HAND = { autorun: false, lockDuration: 600_000 };

/** Returns the options of a worker. Without `process` the worker takes jobs by hand. */
export function workerOptions(process: Processor | null, concurrency: number) {
  return { ...WORKER_OPTIONS, concurrency, ...(process ? {} : BY_HAND) };
}
