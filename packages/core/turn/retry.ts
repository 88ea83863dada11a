import { exponentialBackoffMs, jitterMs } from '../backoff.ts';
import type { Retry } from '../failure.ts';
import { LONGEST_PAUSE_MS, MAX_MODEL_ATTEMPTS, MAX_RATE_LIMIT_WAIT_MS } from './timing.ts';

const BACKOFF = { firstMs: 1_000, longestMs: 30_000 };
const FULL_JITTER = [0, 1] as const;

/** What follows a failed model call: the end of the turn, or another try after `delayMs`. */
type RetryDecision = { kind: 'fail' } | { kind: 'again'; delayMs: number; counts: boolean };

/**
 * Decides by the contract's rules: five tries with exponential backoff and full jitter, never earlier than the provider
 * requested. A rate limit uses up no try, but ten minutes at most. `pauseMs` is its delay, `countedMs` the part of it
 * that counts towards them.
 */
export function decideRetry(
  retry: Retry,
  spent: { attempts: number; waitedMs: number },
  {
    pauseMs = 0,
    countedMs = pauseMs,
    random = Math.random,
  }: { pauseMs?: number; countedMs?: number; random?: () => number } = {},
): RetryDecision {
  switch (retry.kind) {
    case 'never':
      return { kind: 'fail' };
    case 'rate-limited':
      return countedMs > 0 && spent.waitedMs + countedMs > MAX_RATE_LIMIT_WAIT_MS
        ? { kind: 'fail' }
        : { kind: 'again', delayMs: pauseMs, counts: false };
    case 'later': {
      if (spent.attempts + 1 >= MAX_MODEL_ATTEMPTS) return { kind: 'fail' };
      const backoffMs = jitterMs(exponentialBackoffMs(spent.attempts + 1, BACKOFF), FULL_JITTER, random);
      return { kind: 'again', delayMs: Math.round(Math.max(backoffMs, requestedPauseMs(retry) ?? 0)), counts: true };
    }
  }
}

/** The pause that a provider requested, a minute at most; undefined where it requested none. */
export function requestedPauseMs(retry: Retry): number | undefined {
  if (retry.kind === 'never' || retry.afterMs === undefined) return undefined;
  return Math.min(retry.afterMs, LONGEST_PAUSE_MS);
}
