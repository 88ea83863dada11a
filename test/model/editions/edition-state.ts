import type { Left } from '../explore/plain-model.ts';

/** What may go wrong on one round: see `fault.ts`. */
export type EditionFault =
  | ('crash' | 'stall' | 'duplicate' | 'flush' | 'lostAck' | 'backlog')
  | ('later' | 'definite' | 'retry');

/** One round of one turn, and the runs that may be on it, of which each may tell pieces of its reply. */
export type EditionState = {
  turn: {
    status: 'active' | 'failed' | 'saved';
    /** `generation` > 0. */
    isRaised: boolean;
    /** The run that the lease names: a slot, or one that is over. */
    owner: number | 'over' | 'none';
    lease: 'none' | 'live' | 'expired';
    due: 'far' | 'late' | 'null';
    /** `turns.edition`: what the next lease hands out. */
    edition: number;
    /** That of the round, once it is saved. */
    saved: number | null;
  };
  /** The job of the present generation, and one of an earlier. */
  queue: { now: boolean; old: boolean };
  /** The first worker's: the turn as its commit of the step before left it. */
  isCached: boolean;
  runs: EditionRun[];
  /** Who told pieces of each edition: a slot, or a run that is over. */
  told: (number | 'over' | 'nobody')[];
  left: Left<EditionFault>;
  broken: string | null;
};

/** A worker's slot, and the run in it. */
export type EditionRun = {
  at: 'idle' | 'wants-lease' | 'asking' | 'postponing' | 'failing' | 'saving';
  /** The edition that it was handed with its lease. */
  edition: number | null;
  /** `turns.edition` as it was loaded; only mutants look at it. */
  saw: number;
  /** It has told a piece. */
  told: boolean;
  /** The generation that it loaded is still the row's. */
  isFresh: boolean;
  knowsLease: boolean;
  isLost: boolean;
  isAsleep: boolean;
};

/** A round that is due for the first time; a `queued` one has no cache and cannot start without a lease. */
export function firstEditionState({ slots, left }: { slots: number; left: Left<EditionFault> }): EditionState {
  return {
    turn: { status: 'active', isRaised: false, owner: 'none', lease: 'none', due: 'far', edition: 0, saved: null },
    queue: { now: true, old: false },
    isCached: true,
    runs: Array.from({ length: slots }, idleEditionRun),
    told: [],
    left,
    broken: null,
  };
}

/** A slot without a run. */
export function idleEditionRun(): EditionRun {
  return {
    ...{ at: 'idle', edition: null, saw: 0, told: false, isFresh: false },
    ...{ knowsLease: false, isLost: false, isAsleep: false },
  };
}
