import { setTimeout as sleep } from 'node:timers/promises';

const PAUSES_MS = [50, 200, 1_000, 3_000, 5_000, 5_000, 5_000, 5_000];

/** Server states that pass by themselves: conflicts, restarts, too many connections, connections lost. */
const PASSING =
  /^(40001|40P01|55P03|57014|57P0[1-4]|25P03|53[0-4]00|08\w{3}|CONNECT\w*|ECONN\w*|E\w*UNREACH|EAI_AGAIN|ENOTFOUND|EPIPE|ETIMEDOUT)$/;

/**
 * Carries a write through what passes by itself. A commit whose answer was lost may have happened, so only a write
 * whose guard makes doing it twice the same as doing it once may be given here.
 */
export async function persist<T>(write: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await write();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }
  return write();
}

/** Whether a database error is about its state and not about what was asked. */
export function isPassing(error: unknown): error is Error & { code: unknown } {
  return error instanceof Error && 'code' in error && PASSING.test(String(error.code));
}
