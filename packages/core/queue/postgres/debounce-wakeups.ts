import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendFactory, IQueueBackend } from 'bullmq';

/** How long a wakeup waits while a worker's own jobs hand out the next ones, milliseconds. */
const DEBOUNCE_MS = 5;

/** Milliseconds since some moment, and a pause of as many; a test has a clock of its own. */
type Clock = { now(): number; pause(ms: number): Promise<void> };

const realClock: Clock = { now: () => performance.now(), pause: (ms) => sleep(ms) };

/**
 * Delays wakeups that would find nothing: a worker's own steps have taken the job that was announced
 * (docs/decisions/0019-patches.md). If nothing was handed out, a wakeup counts at once.
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
