import type { History } from '../history.ts';

/** A promise that a run must not break; `check` answers a sentence for each time it did. */
export type Invariant = { id: string; promise: string; check(history: History): string[] };
