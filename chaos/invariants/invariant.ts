import type { History } from '../history.ts';

/**
 * A promise that a run must not break; `check` answers a sentence for each time it did. `isVacuity`: not a promise of
 * Pawl's but of the run, that it has tried what it says.
 */
export type Invariant = { id: string; promise: string; check(history: History): string[]; isVacuity?: boolean };
