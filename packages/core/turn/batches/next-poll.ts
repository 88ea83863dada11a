import { exponentialBackoffMs, jitterMs } from '../../backoff.ts';

/** The milliseconds until the first look at a batch that was sent. */
export const FIRST_POLL_MS = 10_000;

/** The milliseconds after which a batch without an end, or a refused batch without a deadline, is given up: 48 h. */
export const LONGEST_BATCH_MS = 172_800_000;

const LONGEST_POLL_MS = 300_000;
const POLL_GROWTH = 1.5;
const REFUSED = { firstMs: 60_000, longestMs: 1_800_000 };

/** Returns the milliseconds until the next look at a batch after `polls` looks: 10 s, growing to 5 minutes. */
export function nextPollMs(polls: number): number {
  return Math.ceil(Math.min(LONGEST_POLL_MS, FIRST_POLL_MS * POLL_GROWTH ** Math.min(polls, 30)));
}

/**
 * Returns the milliseconds until a refused batch is sent again: 1 to 30 minutes, and not before the provider wants.
 * `refusals` counts from 1.
 */
export function refusedPauseMs(refusals: number, requestedMs = 0, random: () => number = Math.random): number {
  const grownMs = jitterMs(exponentialBackoffMs(refusals, REFUSED), [0.5, 1], random);
  return Math.min(REFUSED.longestMs, Math.max(REFUSED.firstMs, grownMs, requestedMs));
}
