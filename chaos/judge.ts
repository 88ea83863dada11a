import type { History } from './history.ts';
import { allInvariants } from './invariants/all-invariants.ts';

/** One promise, and each time it was broken. */
export type Verdict = { id: string; promise: string; complaints: string[] };

/** Holds a history against all invariants. */
export function judge(history: History): Verdict[] {
  return allInvariants.map(({ id, promise, check }) => ({ id, promise, complaints: check(history) }));
}
