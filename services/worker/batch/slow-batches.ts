import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHandler } from '#core/queue/job-queue.ts';

/** Releases the slot of a job while its batch continues. Returns false if the job keeps its slot for now. */
export type LeaveSlot = () => boolean;

/** A handler that receives a function with which its job may leave its slot. */
export type LeavingHandler = (job: Parameters<JobHandler>[0] & { leaveSlot?: LeaveSlot }) => Promise<void>;

/** The batches of a worker that continue although their jobs are acknowledged, each under its lease (decision 41). */
export type SlowBatches = {
  /** Wraps a handler, so that a job resolves once it is done or has left its slot. `handle` never rejects. */
  letLeave(handle: LeavingHandler): JobHandler;
  /** Lets no further job leave, and waits for the batches that have left, `graceMs` at most. */
  close(graceMs: number): Promise<void>;
};

/** The maximum of slow batches for each slot of a worker, for all its providers together. */
const PER_SLOT = 4;

/**
 * Lets batches leave the slots of a worker with `concurrency` slots for each provider. Above the bound, batches keep
 * their slots.
 */
export function makeSlowBatches(concurrency: number): SlowBatches {
  const most = PER_SLOT * concurrency;
  const working = new Set<Promise<void>>();
  let isClosing = false;

  return {
    letLeave: (handle) => async (job) => {
      const { promise: left, resolve } = Promise.withResolvers<void>();
      let hasLeft = false;
      const leaveSlot = () => {
        if (isClosing || working.size >= most) return false;
        hasLeft = true;
        working.add(done);
        void done.finally(() => working.delete(done));
        resolve();
        return true;
      };
      // A finished acknowledgement brings no next job.
      const handsOver = () => (hasLeft ? null : (job.handsOver?.() ?? null));
      const mayContinue = (queue: string) => !hasLeft && (job.mayContinue?.(queue) ?? false);
      const done = handle({ ...job, handsOver, mayContinue, leaveSlot });
      await Promise.race([done, left]);
    },
    close: async (graceMs) => {
      isClosing = true;
      await Promise.race([Promise.all(working), sleep(graceMs, undefined, { ref: false })]);
    },
  };
}
