import { withinTime } from './within-time.ts';

/** Runs one piece of work within what is left of a time that is shared. Throws `OutOfTime`. */
export type SharedTime = <Value>(work: () => Value) => Value;

const LEAST_MS = 5;

/**
 * Time for many pieces of synchronous work: each may take half of what those before it have left of `totalMs`, and 5 ms
 * at the least, so that a slow one bounds the slow ones after it and leaves the quick ones alone.
 */
export function shareTime(totalMs: number): SharedTime {
  let leftMs = totalMs;
  return (work) => {
    const startedAt = performance.now();
    try {
      return withinTime(Math.max(LEAST_MS, Math.round(leftMs / 2)), work);
    } finally {
      leftMs -= performance.now() - startedAt;
    }
  };
}
