import { jitterMs } from '../backoff.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The documented delays, by the number of failed attempts. */
const DELAYS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const JITTER = [0.9, 1.1] as const;

/** Milliseconds to wait after `attempts` failures (from 1), plus or minus a tenth, or null after the last attempt. */
export function retryDelayMs(attempts: number, random: () => number = Math.random): number | null {
  const delayMs = DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return null;
  return Math.round(jitterMs(delayMs, JITTER, random));
}
