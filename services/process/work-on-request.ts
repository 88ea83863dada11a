import { setTimeout as pause } from 'node:timers/promises';

/** Work that runs soon after a request, once for all requests that arrive while it runs. */
export type RequestedWork = {
  request(): void;
  /** Resolves when no work is running or requested. */
  settled(): Promise<void>;
};

/**
 * The minimum pause between two runs. A pause is as long as the last run, up to `LONGEST_GAP_MS`. So under load one
 * run serves many requests, and the database is free for half of the time.
 */
const GAP_MS = 5;
const LONGEST_GAP_MS = 100;

/** Runs the work on request. Only reports a failure of the work. */
export function workOnRequest(work: () => Promise<void>, report: (error: unknown) => void): RequestedWork {
  let running: Promise<void> | null = null;
  let isRequestedAgain = false;

  async function workWhileRequested(): Promise<void> {
    do {
      isRequestedAgain = false;
      const startedAt = performance.now();
      await work().catch(report);
      await pause(Math.min(Math.max(GAP_MS, performance.now() - startedAt), LONGEST_GAP_MS));
    } while (isRequestedAgain);
    running = null;
  }

  return {
    request: () => {
      isRequestedAgain = true;
      running ??= workWhileRequested();
    },
    settled: async () => {
      while (running) await running;
    },
  };
}
