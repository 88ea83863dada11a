/**
 * The options of `npm run crash`: all points, the points with `only` in their reference or name, or a sample (1 of
 * `sample`). A single queue plays every point. Two queues share the points that both cross alike.
 */
export type CrashOptions = { queue: 'redis' | 'postgres' | null; only: string; sample: number; list: boolean };

declare module 'vitest' {
  interface ProvidedContext {
    /** Absent in `npm test`, which kills at a few points. */
    crash?: CrashOptions;
  }
}
