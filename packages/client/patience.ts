import { pause } from './pause.ts';

/** How long somebody goes on trying, counted from when the server was last heard. */
export type Patience = {
  /** The server was heard: everything counts from now. */
  renew(): void;
  /**
   * Waits before the next try, once `waiting` knows that there is one. Throws the failure that is given where trying
   * again is of no use, or the time is up.
   */
  wait(failure?: unknown, waiting?: () => void): Promise<void>;
};

/** Who asks gives up soon; who watches a turn, which goes on all the while, does not. */
export const PATIENCE_MS = { ask: 10_000, watch: 300_000 };

const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5_000;

type Bounds = { patienceMs: number; signal?: AbortSignal | undefined };

/** Waits longer from try to try, never in step with others, and at least as long as the server asks for. */
export function makePatience({ patienceMs, signal }: Bounds): Patience {
  let heardAt = performance.now();
  let tries = 0;

  return {
    renew: () => {
      heardAt = performance.now();
      tries = 0;
    },
    wait: async (failure, waiting) => {
      const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** tries);
      tries += 1;
      const delayMs = Math.max(longest * (0.5 + Math.random() / 2), askedDelayMs(failure));
      const isOver = performance.now() - heardAt + delayMs > patienceMs;
      if (failure !== undefined && (isOver || !isPassing(failure))) throw failure;
      waiting?.();
      await pause(delayMs, signal);
    },
  };
}

/** Does something again until it goes through or patience ends; then its last failure is thrown. */
export async function tryAgain<Result>(attempt: () => Promise<Result>, bounds: Bounds): Promise<Result> {
  const patience = makePatience(bounds);
  for (;;) {
    try {
      return await attempt();
    } catch (failure) {
      await patience.wait(failure);
    }
  }
}

function isPassing(failure: unknown): boolean {
  return failure instanceof Error && 'retryable' in failure && failure.retryable === true;
}

function askedDelayMs(failure: unknown): number {
  return failure instanceof Error && 'retryAfterMs' in failure ? Number(failure.retryAfterMs) : 0;
}
