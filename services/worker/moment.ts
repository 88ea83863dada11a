/** A point in this process's time, by both of its clocks, milliseconds. */
export type Moment = { monotonicMs: number; wallMs: number };

/** Now, to be asked later how long ago it was. */
export function momentNow(): Moment {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/**
 * How long ago a moment was, at the least. One clock stands still while a machine is suspended, the other can be set
 * back: the longer of both is believed (R7).
 */
export function elapsedMs({ monotonicMs, wallMs }: Moment): number {
  return Math.max(performance.now() - monotonicMs, Date.now() - wallMs);
}
