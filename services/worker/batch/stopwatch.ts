/** A point in this process's time, by both of its clocks, in milliseconds. */
export type Stopwatch = { monotonicMs: number; wallMs: number };

/** Starts at the present. */
export function startStopwatch(): Stopwatch {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/**
 * The time since the start, at the least. One clock stands still while a machine is suspended, the other can be set back:
 * the longer of both counts (R7).
 */
export function elapsedMs({ monotonicMs, wallMs }: Stopwatch): number {
  return Math.max(performance.now() - monotonicMs, Date.now() - wallMs);
}
