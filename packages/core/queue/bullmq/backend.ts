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
  isOpen(): boolean;
  /** The policy by which the store may lose jobs when its memory is full; null for none. */
  findEviction(): Promise<string | null>;
  close(): Promise<void>;
};

export type BullQueue = Pick<Queue<JobData>, 'add' | 'close' | 'getJobCounts' | 'on' | 'waitUntilReady'>;

export type BullWorker = Pick<Worker<JobData>, 'close' | 'concurrency' | 'on' | 'getNextJob' | 'waitUntilReady'> & {
  hasFreePlace(): boolean;
};

/**
 * The options of every worker. The lock outlives a lease (R11). Stalls never fail a job: a turn fails by our own
 * count. BullMQ's own pause after a refused connection is longer than we may be away.
 */
export const WORKER_OPTIONS = {
  lockDuration: 15_000,
  stalledInterval: 5_000,
  runRetryDelay: 1_000,
  maxStalledCount: 1_000_000,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
};
