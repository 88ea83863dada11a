import type { TurnWakeup } from '../turn/wakeup.ts';
import type { JobData, JobName } from './job.ts';

/**
 * A handler of jobs. An error is only logged, since the row becomes due again. `handsOver` returns the queue of the
 * next job that the worker gets with its acknowledgement. `mayContinue` returns whether the handler may work the next
 * step of that queue.
 */
export type JobHandler = (job: {
  name: JobName;
  data: JobData;
  handsOver?: () => string | null;
  mayContinue?: (queue: string) => boolean;
}) => Promise<void>;

export type JobWorkers = {
  /** Runs up to `concurrency` jobs of each queue at once, as soon as the next running job has ended. */
  resize(concurrency: number): void;
  /** Takes no more jobs and waits for the running jobs, `graceMs` at most. */
  close(graceMs: number): Promise<void>;
};

/** The status of a job store. `away` takes no jobs. `evicts` may lose jobs by its policy when its memory is full. */
export type StoreStatus = { address: string } & (
  | { kind: 'well' }
  | { kind: 'away'; error: unknown }
  | { kind: 'evicts'; policy: string }
);

/** Returns the sum of counts of jobs, for each state. */
export function sumCounts(all: Record<string, number>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const counts of all) {
    for (const [state, count] of Object.entries(counts)) total[state] = (total[state] ?? 0) + count;
  }
  return total;
}

/** A queue with two backends. A job says "look at this turn", and may be lost, late or doubled. */
export type JobQueue = {
  /**
   * Adds a job for each wakeup. Rejects within about a second if the queue is away. The rescuer then enqueues it
   * later.
   */
  enqueue(wakeups: TurnWakeup[]): Promise<void>;
  /**
   * Enqueues from inside a job, before its acknowledgement. `arrived` settles with the outcome. One wakeup of the
   * queue in `handsOver` wakes no worker, since the job's own worker gets it.
   */
  enqueueBeforeAck(wakeups: TurnWakeup[], handsOver?: string | null): Promise<{ arrived: Promise<void> }>;
  /** Runs the jobs of these queues until closed, up to `concurrency` of each queue at once. */
  work(queues: string[], handle: JobHandler, concurrency: number): Promise<JobWorkers>;
  /**
   * Takes one waiting job and runs it. Returns false if no job waits. For tests that decide when a worker runs a job.
   */
  workOnce(queues: string[], handle: JobHandler): Promise<boolean>;
  count(queues: string[]): Promise<Record<string, number>>;
  /** Asks the job stores for their status. Rejects if no store answers. */
  check(): Promise<StoreStatus[]>;
  close(): Promise<void>;
};
