/** A point in time by both clocks of this process, in milliseconds. */
export type Stopwatch = { monotonicMs: number; wallMs: number };

export function startStopwatch(): Stopwatch {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/**
 * Returns the milliseconds since the start, by the clock that shows more (R7). One clock stops while a machine is
 * suspended, and the other can be set back.
 */
export function elapsedMs({ monotonicMs, wallMs }: Stopwatch): number {
  return Math.max(performance.now() - monotonicMs, Date.now() - wallMs);
}
