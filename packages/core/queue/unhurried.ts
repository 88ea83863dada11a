import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendFactory, IQueueBackend } from 'bullmq';

/** How long steps that follow each other keep a worker from asking for more on the side, milliseconds. */
const STRIDE_MS = 5;

/**
 * A job that ends hands out the next one, and while it does BullMQ is woken besides by each job that is added: it asks
 * once more, and again, and finds that its own steps have taken them. Such a waking is believed a little later, once for
 * all that came meanwhile; where nothing was handed out, at once.
 */
export function unhurried<Backend extends IQueueBackend, Connection>(
  make: BackendFactory<Backend, Connection>,
): BackendFactory<Backend, Connection> {
  return (...about) => {
    const backend = make(...about);
    const { moveToCompleted, waitForJob } = backend;
    let handedOutAt = Number.NEGATIVE_INFINITY;
    backend.moveToCompleted = async (...job) => {
      const ended = await moveToCompleted.apply(backend, job);
      handedOutAt = ended.result?.[0] ? performance.now() : Number.NEGATIVE_INFINITY;
      return ended;
    };
    backend.waitForJob = async (seconds) => {
      const woken = await waitForJob.call(backend, seconds);
      if (woken && performance.now() - handedOutAt < STRIDE_MS) await sleep(STRIDE_MS);
      return woken;
    };
    return backend;
  };
}
