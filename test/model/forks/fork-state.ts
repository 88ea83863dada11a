import type { Left } from '../explore/plain-model.ts';

/** What callers do a bounded number of times: they fork a turn, delete it, delete a fork, and retry a turn that failed. */
export type ForkFault = 'fork' | 'remove' | 'drop' | 'fail' | 'retry';

/** A turn, and the forks that stand on its rounds. */
export type ForkState = {
  status: 'active' | 'ended' | 'failed';
  /** The result of the call of each round, null while it is open; undefined once the round is erased. */
  rounds: (string | null | undefined)[];
  isAnswered: boolean;
  isRemoved: boolean;
  forks: { upTo: number; isThere: boolean; told: string }[];
  /** Up to which round a caller has found a fork possible that it has not written yet; only mutants look before they write. */
  looked: number | null;
  left: Left<ForkFault>;
  broken: string | null;
};

/** A turn that has just begun. */
export function firstForkState(left: Left<ForkFault>): ForkState {
  return {
    status: 'active',
    rounds: [],
    isAnswered: false,
    isRemoved: false,
    forks: [],
    looked: null,
    left,
    broken: null,
  };
}
