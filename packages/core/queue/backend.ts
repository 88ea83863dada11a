import type { Job as BullJob, Queue, Worker } from 'bullmq';
import type { JobData } from './job.ts';

type Processor = (job: BullJob<JobData>) => Promise<void>;

/** How BullMQ reaches its store; all that Redis and Postgres differ in. */
export type Backend = {
  makeQueue(name: string): BullQueue;
  /**
   * A queue on the connection over which the workers acknowledge: what is added first arrives first. Null where a store
   * keeps no such order.
   */
  makeQueueAhead: ((name: string) => BullQueue) | null;
  makeWorker(name: string, process: Processor | null, concurrency: number): BullWorker;
  close(): Promise<void>;
};

export type BullQueue = Pick<Queue<JobData>, 'add' | 'close' | 'getJobCounts' | 'on' | 'waitUntilReady'>;

export type BullWorker = Pick<Worker<JobData>, 'close' | 'on' | 'getNextJob' | 'waitUntilReady'>;

/**
 * What every worker is told, whatever its store. The lock outlives a hold (R11); stalls never fail a job, since a
 * turn fails by our own count only. A store that refused a connection is asked again after a second: BullMQ's own pause
 * is longer than we may be away.
 */
export const WORKER_OPTIONS = {
  lockDuration: 15_000,
  stalledInterval: 5_000,
  runRetryDelay: 1_000,
  maxStalledCount: 1_000_000,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
};
