import { setImmediate } from 'node:timers/promises';

const MAX_BUSY_MS = 20;

let yieldedAt = performance.now();
let queue = Promise.resolve();

/** Lets other work run after 20 ms without a pause. Concurrent calls wait in a queue. */
export async function yieldToEventLoop(): Promise<void> {
  if (performance.now() - yieldedAt < MAX_BUSY_MS) return;
  queue = queue.then(async () => {
    await setImmediate();
    yieldedAt = performance.now();
  });
  return queue;
}
