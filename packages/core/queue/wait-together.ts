import type { BackendFactory, IQueueBackend } from 'bullmq';

/** What tells a worker to ask for a job: at once where the score is 0, else at that time (milliseconds since 1970). */
export type Marker = { member: string; score: number };

/** The place of one worker in a waiter. */
export type WaitingPlace = {
  /**
   * The worker asks for a job now; it calls back when there was none. Only then it needs no wakeup for what was announced
   * before it asked: one question may take the job of another's wakeup.
   */
  asks(): () => void;
  /** Resolves with a marker when a job may be there, and with null after `seconds` or an `interrupt`. Never rejects. */
  wait(seconds: number): Promise<Marker | null>;
  /** Ends the wait that is going on, and the place until the worker asks again. */
  interrupt(): void;
};

/** Where all workers of a process wait for jobs, on a number of connections that does not grow with their queues. */
export type JobWaiter = { join(queue: string): WaitingPlace; close(): Promise<void> };

/**
 * Has the workers of a process wait in one place (decision 17). BullMQ gives each worker a blocking connection of its own;
 * these get none, and the three methods that would use it go to the waiter.
 */
export function waitTogether<Backend extends IQueueBackend, Connection>(
  make: BackendFactory<Backend, Connection>,
  waiter: JobWaiter,
): BackendFactory<Backend, Connection> {
  return (name, options) => {
    const backend = make(name, options);
    const place = waiter.join(name);
    const { moveToActive, moveToCompleted } = backend;
    let isInterrupted = false;
    const asks = () => (isInterrupted ? () => {} : place.asks());
    backend.moveToActive = async (...asked) => {
      const foundNothing = asks();
      const found = await moveToActive.apply(backend, asked);
      if (!found[0]) foundNothing();
      return found;
    };
    backend.moveToCompleted = async (...asked) => {
      const foundNothing = asks();
      const ended = await moveToCompleted.apply(backend, asked);
      if (ended.result && !ended.result[0]) foundNothing();
      return ended;
    };
    backend.waitForJob = async (seconds) => (isInterrupted ? null : place.wait(seconds));
    backend.disconnectBlocking = async () => {
      isInterrupted = true;
      place.interrupt();
    };
    backend.reconnectBlocking = async () => {
      isInterrupted = false;
    };
    return backend;
  };
}
