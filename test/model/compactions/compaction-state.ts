import type { Left } from '../explore/plain-model.ts';

/** What may go wrong: see `fault.ts`. `delete`: a caller deletes something of the history. */
export type CompactionFault = 'crash' | 'duplicate' | 'lostAck' | 'cancel' | 'delete';

/** What was written for the round: by which ask, whether it is no summary, and how much had been deleted when it was made. */
export type KeptCompaction = { ask: number; isEmpty: boolean; deletions: number };

/** One round whose history has to become shorter, its job, and the runs that may be on it. */
export type CompactionState = {
  status: 'active' | 'replied' | 'cancelled';
  kept: KeptCompaction | null;
  deletions: number;
  jobs: number;
  /** Requests for a summary so far, and whether what came of one was carried through. */
  asks: number;
  isSettled: boolean;
  runs: CompactionRun[];
  left: Left<CompactionFault>;
  broken: string | null;
};

/** A worker's slot, and the run in it. */
export type CompactionRun = {
  at: 'idle' | 'loaded' | 'asking' | 'saving' | 'ready' | 'replying';
  /** What it has loaded, or reads since: the compaction of the round, and how much is deleted. */
  kept: KeptCompaction | null;
  deletions: number;
  /** A summary had been settled when it loaded. */
  knewSettled: boolean;
};

/** A round that is due for the first time. */
export function firstCompactionState(left: Left<CompactionFault>): CompactionState {
  return {
    ...{ status: 'active', kept: null, deletions: 0, jobs: 1, asks: 0, isSettled: false },
    runs: [idleRun(), idleRun()],
    ...{ left, broken: null },
  };
}

/** A slot without a run. */
export function idleRun(): CompactionRun {
  return { at: 'idle', kept: null, deletions: 0, knewSettled: false };
}
