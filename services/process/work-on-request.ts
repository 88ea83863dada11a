import { setTimeout as pause } from 'node:timers/promises';

/** Work that is done soon after a request for it, once for all requests that come while it is done. */
export type RequestedWork = {
  request(): void;
  /** Resolves once nothing is under way. */
  settled(): Promise<void>;
};

/**
 * Two runs of the work follow each other no closer than this, and than the last one took: under load one run is for many
 * requests, and the database has half of its time.
 */
const GAP_MS = 5;
const LONGEST_GAP_MS = 100;

/** Does the work on request. A failure of the work is only reported. */
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
