import type { Ring } from '../turn/ring.ts';
import type { JobData, JobName } from './job.ts';

/** What a worker does with a job. What it throws is logged and forgotten: the row is due again by itself. */
export type JobHandler = (job: { name: JobName; data: JobData }) => Promise<void>;

/** Workers answering the bell. */
export type Answering = {
  /** Takes no more jobs and waits for those at hand, `graceMs` at most. */
  close(graceMs: number): Promise<void>;
};

/** The queue, one doorbell for two backends: a job says "look at this turn", and may be lost, late or doubled. */
export type Bell = {
  /** Adds a job for each ring. Rejects within about a second when the queue is away; the rescuer then rings. */
  ring(rings: Ring[]): Promise<void>;
  /** Rings from inside a job: answers as soon as the job cannot be acknowledged before it, with what becomes of it. */
  ringAhead(rings: Ring[]): Promise<{ arrived: Promise<void> }>;
  /** Answers jobs of these queues until closed, up to `concurrency` of each queue at once. */
  answer(queues: string[], handle: JobHandler, concurrency: number): Promise<Answering>;
  /** Takes one waiting job by hand and works it; false when none waits. For tests that hold the worker. */
  answerOnce(queues: string[], handle: JobHandler): Promise<boolean>;
  /** How many jobs of these queues are in each state. */
  count(queues: string[]): Promise<Record<string, number>>;
  close(): Promise<void>;
};
