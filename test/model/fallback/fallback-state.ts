import type { Left } from '../explore/plain-model.ts';

/** What may go wrong on one round: see `fault.ts`. `later` and `definite` are answers of its model. */
export type FallbackFault =
  | ('crash' | 'stall' | 'duplicate' | 'flush' | 'lostAck' | 'backlog')
  | ('later' | 'definite' | 'retry');

/** The last of a turn's models, which are numbered from 0, and how often each may be tried. */
export const LAST_MODEL = 2;
export const MOST_TRIES = 2;

/** One round of one turn, and the runs that may ask its models. */
export type FallbackState = {
  turn: {
    status: 'active' | 'failed' | 'saved';
    /** `turns.model`: the one that is asked now. */
    model: number;
    /** `turns.attempts`: failed tries of the step. */
    attempts: number;
    /** `generation` > 0. */
    isRaised: boolean;
    /** The run that the lease names: a slot, or one that is over. */
    owner: number | 'over' | 'none';
    lease: 'none' | 'live' | 'expired';
    due: 'far' | 'late' | 'never' | 'null';
  };
  /** The job of the present generation, and one of an earlier. */
  queue: { now: boolean; old: boolean };
  /** The first worker's: the turn as its commit of the step before left it. */
  isCached: boolean;
  runs: FallbackRun[];
  /** How often the model that the turn is at has failed. */
  tries: number;
  left: Left<FallbackFault>;
  broken: string | null;
};

/** A worker's slot, and the run in it. */
export type FallbackRun = {
  at: 'idle' | 'wants-lease' | 'asking' | 'postponing' | 'changing' | 'failing' | 'saving';
  /** The model that it has loaded, and asks. */
  model: number;
  /** `turns.attempts` as it was loaded. */
  attempts: number;
  /** Its reply is the answer of the turn. */
  isAnswer: boolean;
  /** The generation that it loaded is still the row's. */
  isFresh: boolean;
  knowsLease: boolean;
  isLost: boolean;
  isAsleep: boolean;
};

/** A round that is due for the first time. */
export function firstFallbackState({ slots, left }: { slots: number; left: Left<FallbackFault> }): FallbackState {
  return {
    turn: { status: 'active', model: 0, attempts: 0, isRaised: false, owner: 'none', lease: 'none', due: 'far' },
    queue: { now: true, old: false },
    isCached: true,
    runs: Array.from({ length: slots }, idleFallbackRun),
    ...{ tries: 0, left, broken: null },
  };
}

/** A slot without a run. */
export function idleFallbackRun(): FallbackRun {
  return {
    ...{ at: 'idle', model: 0, attempts: 0, isAnswer: false, isFresh: false },
    ...{ knowsLease: false, isLost: false, isAsleep: false },
  };
}

/** The run of a slot. */
export function runIn({ runs }: FallbackState, slot: number): FallbackRun {
  const run = runs[slot];
  if (!run) throw new Error(`There is no slot ${slot}.`);
  return run;
}
