import type { History } from './history.ts';
import { allInvariants } from './invariants/all-invariants.ts';
import type { Options } from './read-options.ts';

/** One promise, and each time it was broken. Complaints of one that is `told` are for the reader and fail no run. */
export type Verdict = { id: string; promise: string; complaints: string[]; status: 'kept' | 'broken' | 'told' };

/** Holds a history against all invariants. */
export function judge(history: History, { vacuity }: Pick<Options, 'vacuity'>): Verdict[] {
  return allInvariants.map(({ id, promise, check, isVacuity = false }) => {
    const complaints = check(history);
    if (complaints.length === 0) return { id, promise, complaints, status: 'kept' };
    return { id, promise, complaints, status: isVacuity && vacuity === 'tell' ? 'told' : 'broken' };
  });
}
