import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendFactory, IQueueBackend } from 'bullmq';

/** How long a wakeup waits while a worker's own jobs hand out the next ones, milliseconds. */
const DEBOUNCE_MS = 5;

/**
 * Delays wakeups that would find nothing (docs/decisions/0019-patches.md). A job that ends hands out the next one, and
 * each added job wakes BullMQ besides. It fetches once more, and again, and finds that its own steps have taken the
 * job. Such a wakeup counts a little later, once for all that came meanwhile; where nothing was handed out, at once.
 */
export function debounceWakeups<Backend extends IQueueBackend, Connection>(
  make: BackendFactory<Backend, Connection>,
): BackendFactory<Backend, Connection> {
  return (...args) => {
    const backend = make(...args);
    const { moveToCompleted, waitForJob } = backend;
    let handedOutAt = Number.NEGATIVE_INFINITY;
    backend.moveToCompleted = async (...job) => {
      const ended = await moveToCompleted.apply(backend, job);
      handedOutAt = ended.result?.[0] ? performance.now() : Number.NEGATIVE_INFINITY;
      return ended;
    };
    backend.waitForJob = async (seconds) => {
      const woken = await waitForJob.call(backend, seconds);
      if (woken && performance.now() - handedOutAt < DEBOUNCE_MS) await sleep(DEBOUNCE_MS);
      return woken;
    };
    return backend;
  };
}
