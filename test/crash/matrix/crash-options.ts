/** What `npm run crash` was asked for: all points, or those whose reference or name has `only` in it. */
export type CrashOptions = { queue: 'redis' | 'postgres' | null; only: string; list: boolean };

declare module 'vitest' {
  interface ProvidedContext {
    /** Absent in `npm test`, which dies at some points only. */
    crash?: CrashOptions;
  }
}
