import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHandler } from '#core/queue/job-queue.ts';

/** Gives the place of a job back while its batch works on; false where it keeps it for now. Once true, the place is gone. */
export type LeavePlace = () => boolean;

/** A handler whose job may leave its place, where it is told how. */
export type LeavingHandler = (job: Parameters<JobHandler>[0] & { leavePlace?: LeavePlace }) => Promise<void>;

/** The batches of a worker that work on although their jobs are acknowledged, each under its lease (decision 41). */
export type SlowBatches = {
  /** Hands a job on, and resolves once that is done or has left its place. `handle` never rejects. */
  letLeave(handle: LeavingHandler): JobHandler;
  /** Lets no more leave, and waits until those that have left are done, `graceMs` at most. */
  close(graceMs: number): Promise<void>;
};

/** Slow batches for each place of a worker, of all its providers together. */
const PER_PLACE = 4;

/** Lets batches leave the places of a worker with so many for each provider; beyond the bound they keep them. */
export function makeSlowBatches(concurrency: number): SlowBatches {
  const most = PER_PLACE * concurrency;
  const working = new Set<Promise<void>>();
  let isClosing = false;

  return {
    letLeave: (handle) => async (job) => {
      const { promise: left, resolve } = Promise.withResolvers<void>();
      let hasLeft = false;
      const leavePlace = () => {
        if (isClosing || working.size >= most) return false;
        hasLeft = true;
        working.add(done);
        void done.finally(() => working.delete(done));
        resolve();
        return true;
      };
      // An acknowledgement that is over brings no next job.
      const handsOver = () => (hasLeft ? null : (job.handsOver?.() ?? null));
      const mayContinue = (queue: string) => !hasLeft && (job.mayContinue?.(queue) ?? false);
      const done = handle({ ...job, handsOver, mayContinue, leavePlace });
      await Promise.race([done, left]);
    },
    close: async (graceMs) => {
      isClosing = true;
      await Promise.race([Promise.all(working), sleep(graceMs, undefined, { ref: false })]);
    },
  };
}
