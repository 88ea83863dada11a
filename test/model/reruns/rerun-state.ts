import type { Left } from '../explore/plain-model.ts';

/** What happens a bounded number of times: another job takes the batch, the turn that is run again is retried, or deleted. */
export type RerunFault = 'job' | 'retry' | 'remove';

export type RerunCall = 'open' | 'recorded' | 'denied' | 'ran';

/** A rerun whose reply asks for a call that was recorded, and for one that was not and may be made once. */
export type RerunState = {
  step: 'r1' | 'b1' | 'r2' | 'ended';
  calls: { known: RerunCall; unknown: RerunCall } | null;
  hasRecord: boolean;
  isRetried: boolean;
  left: Left<RerunFault>;
  broken: string | null;
};

/** A rerun that is about to ask its model. */
export function firstRerunState(left: Left<RerunFault>): RerunState {
  return { step: 'r1', calls: null, hasRecord: true, isRetried: false, left, broken: null };
}
