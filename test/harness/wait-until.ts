import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;

/** The bound for a process that hangs. A busy machine stays far below it. */
export const BOUND_MS = 200_000;

/**
 * Waits for another process, a browser or a connection: calls `look` until it neither throws nor returns false.
 * Returns its result. After the time limit it throws the last failure of `look`.
 */
export async function waitUntil<Found>(
  look: () => Found | Promise<Found>,
  goal = 'the condition holds',
): Promise<Exclude<Found, false>> {
  let failure: unknown = new Error(`Timed out before ${goal}.`);
  for (const until = performance.now() + BOUND_MS; performance.now() < until; await sleep(POLL_MS)) {
    try {
      const found = await look();
      if (found !== false) return found as Exclude<Found, false>;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
