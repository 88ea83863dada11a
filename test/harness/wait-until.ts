import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;

/** Waits until something is so, for a minute and a half at most; a look that fails is not so. For programs that are no tests, too. */
export async function waitUntil(what: string, isSo: () => Promise<boolean>, limitMs = 90_000): Promise<void> {
  let failure: unknown;
  for (const until = performance.now() + limitMs; performance.now() < until; await sleep(POLL_MS)) {
    try {
      if (await isSo()) return;
    } catch (error) {
      failure = error;
    }
  }
  throw new Error(`Waited in vain until ${what}.`, { cause: failure });
}
