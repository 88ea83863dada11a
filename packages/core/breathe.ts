import { setImmediate } from 'node:timers/promises';

const ENOUGH_MS = 20;

let breathedAt = performance.now();
let line = Promise.resolve();

/**
 * Asked before each of many pieces of work: where nothing else had its turn for 20 ms, it lets heartbeats, sockets and
 * requests have theirs. Who asks at the same time stands in line, so that no two long pieces come after each other.
 */
export async function breathe(): Promise<void> {
  if (performance.now() - breathedAt < ENOUGH_MS) return;
  line = line.then(async () => {
    await setImmediate();
    breathedAt = performance.now();
  });
  return line;
}
