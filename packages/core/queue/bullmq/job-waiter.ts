import type { BackendFactory, IQueueBackend } from 'bullmq';

/** The sign for a worker to fetch a job: at once if the score is 0, else at that time (milliseconds since 1970). */
export type Marker = { member: string; score: number };

/** A worker of a waiter. */
export type WaitingWorker = {
  /**
   * Begins a fetch of a job. The returned function reports that no job was found: only then the worker needs no
   * earlier wakeup.
   */
  startFetch(): () => void;
  /** Resolves with a marker when there may be a job, or with null after `seconds` or an `interrupt`. Never rejects. */
  wait(seconds: number): Promise<Marker | null>;
  /** Ends the current wait. The worker gets no wakeups until its next fetch. */
  interrupt(): void;
};

/** The common wait of all workers of a process for jobs. Its number of connections does not grow with their queues. */
export type JobWaiter = { join(queue: string): WaitingWorker; close(): Promise<void> };

/** Lets all workers of a process wait together, not on a connection each (docs/decisions/0019-patches.md). */
export function withJobWaiter<Backend extends IQueueBackend, Connection>(
  make: BackendFactory<Backend, Connection>,
  waiter: JobWaiter,
): BackendFactory<Backend, Connection> {
  return (name, options) => {
    const backend = make(name, options);
    const worker = waiter.join(name);
    const { moveToActive, moveToCompleted } = backend;
    let isInterrupted = false;
    const startFetch = () => (isInterrupted ? () => {} : worker.startFetch());
    backend.moveToActive = async (...args) => {
      const foundNothing = startFetch();
      const found = await moveToActive.apply(backend, args);
      if (!found[0]) foundNothing();
      return found;
    };
    backend.moveToCompleted = async (...args) => {
      const foundNothing = startFetch();
      const ended = await moveToCompleted.apply(backend, args);
      if (ended.result && !ended.result[0]) foundNothing();
      return ended;
    };
    backend.waitForJob = async (seconds) => (isInterrupted ? null : worker.wait(seconds));
    backend.disconnectBlocking = async () => {
      isInterrupted = true;
      worker.interrupt();
    };
    backend.reconnectBlocking = async () => {
      isInterrupted = false;
    };
    return backend;
  };
}
