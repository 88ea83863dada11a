/** Retries within a time limit that starts again at each sign of life from the server. */
export type Retries = {
  /** Restarts time limit and delays, since the server sent something. */
  reset(): void;
  /** Calls `waiting` and waits before the next attempt. Throws the failure if a retry is useless or time is up. */
  wait(failure?: unknown, waiting?: () => void): Promise<void>;
};

/** A request gives up soon. Watching a turn does not, since the turn continues. */
export const RETRY_FOR_MS = { request: 10_000, watch: 300_000 };

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5_000;

type Bounds = { patienceMs: number; signal?: AbortSignal | undefined };

/** Starts retries with growing delays and jitter. A delay is at least as long as the server asks. */
export function startRetries({ patienceMs, signal }: Bounds): Retries {
  let resetAt = performance.now();
  let failures = 0;

  return {
    reset: () => {
      resetAt = performance.now();
      failures = 0;
    },
    wait: async (failure, waiting) => {
      const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
      failures += 1;
      const delayMs = Math.max(longest * (0.5 + Math.random() / 2), requestedDelayMs(failure));
      const isOver = performance.now() - resetAt + delayMs > patienceMs;
      if (failure !== undefined && (isOver || !isRetryable(failure))) throw failure;
      waiting?.();
      await pause(delayMs, signal);
    },
  };
}

/** Repeats `attempt` until it succeeds or `patienceMs` have passed. Then throws its last failure. */
export async function retryTransient<Result>(attempt: () => Promise<Result>, bounds: Bounds): Promise<Result> {
  const retries = startRetries(bounds);
  for (;;) {
    try {
      return await attempt();
    } catch (failure) {
      await retries.wait(failure);
    }
  }
}

function isRetryable(failure: unknown): boolean {
  return failure instanceof Error && 'retryable' in failure && failure.retryable === true;
}

function requestedDelayMs(failure: unknown): number {
  return failure instanceof Error && 'retryAfterMs' in failure ? Number(failure.retryAfterMs) : 0;
}

/** Waits. Throws the reason of the signal when it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
}
