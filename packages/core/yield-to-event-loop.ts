import { setImmediate } from 'node:timers/promises';

const MAX_BUSY_MS = 20;

let yieldedAt = performance.now();
let queue = Promise.resolve();

/**
 * Called before each of many tasks: after 20 ms without a pause it lets heartbeats, sockets and requests run. Calls at the
 * same time wait in a queue, so that no two long tasks follow each other.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - yieldedAt < MAX_BUSY_MS) return;
  queue = queue.then(async () => {
    await setImmediate();
    yieldedAt = performance.now();
  });
  return queue;
}
