import type { Retry } from '../failure.ts';
import { LONGEST_PAUSE_MS, MAX_MODEL_ATTEMPTS, MAX_PARKED_MS } from './timing.ts';

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;

/** What follows a failed model call: the end of the turn, or another try after `delayMs`. */
export type NextTry = { kind: 'fail' } | { kind: 'again'; delayMs: number; counts: boolean };

/**
 * Decides by the contract's rules: five tries with exponential backoff and full jitter, never earlier than the
 * provider asked; a rate limit uses up no try, but at most ten minutes in all. `pauseMs` is how long it keeps the turn away,
 * `countedMs` how much of that counts towards those.
 */
export function nextTry(
  retry: Retry,
  spent: { attempts: number; parkedMs: number },
  {
    pauseMs = 0,
    countedMs = pauseMs,
    random = Math.random,
  }: { pauseMs?: number; countedMs?: number; random?: () => number } = {},
): NextTry {
  switch (retry.kind) {
    case 'never':
      return { kind: 'fail' };
    case 'parked':
      return countedMs > 0 && spent.parkedMs + countedMs > MAX_PARKED_MS
        ? { kind: 'fail' }
        : { kind: 'again', delayMs: pauseMs, counts: false };
    case 'later': {
      if (spent.attempts + 1 >= MAX_MODEL_ATTEMPTS) return { kind: 'fail' };
      const backoffMs = random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** spent.attempts);
      return { kind: 'again', delayMs: Math.round(Math.max(backoffMs, askedMs(retry) ?? 0)), counts: true };
    }
  }
}

/** How long a provider asked to be left alone, a minute at most; undefined where it did not say. */
export function askedMs(retry: Retry): number | undefined {
  if (retry.kind === 'never' || retry.afterMs === undefined) return undefined;
  return Math.min(retry.afterMs, LONGEST_PAUSE_MS);
}
