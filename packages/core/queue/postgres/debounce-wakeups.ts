import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendFactory, IQueueBackend } from 'bullmq';

/** The wait of a wakeup while a worker's own jobs hand out the next jobs, in milliseconds. */
const DEBOUNCE_MS = 5;

/** A clock in milliseconds, with a pause. A test has its own clock. */
type Clock = { now(): number; pause(ms: number): Promise<void> };

const realClock: Clock = { now: () => performance.now(), pause: (ms) => sleep(ms) };

/**
 * Delays wakeups that would find no job, since a worker's own steps have taken the announced job
 * (docs/decisions/0019-patches.md). If no job was handed out, a wakeup counts at once.
 */
export function debounceWakeups<Backend extends IQueueBackend, Connection>(
  make: BackendFactory<Backend, Connection>,
  { now, pause } = realClock,
): BackendFactory<Backend, Connection> {
  return (...args) => {
    const backend = make(...args);
    const { moveToCompleted, waitForJob } = backend;
    let handedOutAt = Number.NEGATIVE_INFINITY;
    backend.moveToCompleted = async (...job) => {
      const ended = await moveToCompleted.apply(backend, job);
      handedOutAt = ended.result?.[0] ? now() : Number.NEGATIVE_INFINITY;
      return ended;
    };
    backend.waitForJob = async (seconds) => {
      const woken = await waitForJob.call(backend, seconds);
      if (woken && now() - handedOutAt < DEBOUNCE_MS) await pause(DEBOUNCE_MS);
      return woken;
    };
    return backend;
  };
}
