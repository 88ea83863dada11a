/**
 * The options of `npm run crash`: all points, or those whose reference or name contains `only`, or of these one in `sample`. On one queue
 * alone every point is played, on both those that they cross alike are shared.
 */
export type CrashOptions = { queue: 'redis' | 'postgres' | null; only: string; sample: number; list: boolean };

declare module 'vitest' {
  interface ProvidedContext {
    /** Absent in `npm test`, which kills at some points only. */
    crash?: CrashOptions;
  }
}
