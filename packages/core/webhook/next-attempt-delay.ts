const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** What the contract promises, by the number of failed attempts. */
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
const JITTER = 0.1;

/**
 * How long to wait in milliseconds after so many failed attempts (from 1), up to a tenth more or less so that
 * deliveries which failed together do not come back together; null when the last attempt was made.
 */
export function nextAttemptDelayMs(attempts: number, random: () => number = Math.random): number | null {
  const delayMs = DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return null;
  return Math.round(delayMs * (1 + JITTER * (2 * random() - 1)));
}
