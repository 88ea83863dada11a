import type { Left } from '../explore/plain-model.ts';

/**
 * What may go wrong on a turn: see `fault.ts`. `refused`: the provider lacks the capacity for `flex`. `late`: the
 * deadline is near.
 */
export type TierFault =
  | ('crash' | 'stall' | 'duplicate' | 'flush' | 'lostAck' | 'backlog')
  | ('later' | 'refused' | 'late');

/** Refusals that a round takes from `flex`, and tries of a round. */
export const MOST_REFUSALS = 3;
export const MOST_TRIES = 2;

/** A turn on `flex` with a fallback, its rounds, and the runs that may ask them. */
export type TierState = {
  turn: {
    status: 'active' | 'failed' | 'saved';
    /** `turns.step`: the batch between the rounds takes no time. */
    round: number;
    lastRound: number;
    /** `turns.tier_wait`: the tier that the round is asked on now, and its refusals. */
    tier: 'flex' | 'default';
    refusals: number;
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
  /** The first worker's: the round that its commit of the step before made due; 0 without one. */
  cached: number;
  runs: TierRun[];
  /** Less than a fifth of the time to the deadline is left. */
  isLate: boolean;
  /** What happened to the round and was committed: its changes of tier, each refusal once, each other failure once. */
  saw: { changes: number; refusals: number; failures: number };
  left: Left<TierFault>;
  broken: string | null;
};

/** A worker's slot, and the run in it. */
export type TierRun = {
  at: 'idle' | 'wants-lease' | 'asking' | 'waiting' | 'postponing' | 'changing' | 'failing' | 'saving';
  /** What it has loaded of the turn. */
  round: number;
  tier: 'flex' | 'default';
  refusals: number;
  attempts: number;
  isLate: boolean;
  /** Its provider has refused it, and a commit has counted that. */
  isRefused: boolean;
  isCounted: boolean;
  /** The generation that it loaded is still the row's. */
  isFresh: boolean;
  knowsLease: boolean;
  isLost: boolean;
  isAsleep: boolean;
};

/** So many workers, rounds and faults. */
export type TierScene = { slots: number; rounds: number; left: Left<TierFault> };

/** A turn whose first round is due for the first time. */
export function firstTierState({ slots, rounds, left }: TierScene): TierState {
  return {
    turn: {
      ...{ status: 'active', round: 1, lastRound: rounds, tier: 'flex', refusals: 0, attempts: 0 },
      ...{ isRaised: false, owner: 'none', lease: 'none', due: 'far' },
    },
    queue: { now: true, old: false },
    cached: 1,
    runs: Array.from({ length: slots }, idleTierRun),
    isLate: false,
    saw: { changes: 0, refusals: 0, failures: 0 },
    ...{ left, broken: null },
  };
}

/** A slot without a run. */
export function idleTierRun(): TierRun {
  return {
    ...{ at: 'idle', round: 0, tier: 'flex', refusals: 0, attempts: 0, isLate: false },
    ...{ isRefused: false, isCounted: false, isFresh: false, knowsLease: false, isLost: false, isAsleep: false },
  };
}

/** The run of a slot. */
export function runIn({ runs }: TierState, slot: number): TierRun {
  const run = runs[slot];
  if (!run) throw new Error(`There is no slot ${slot}.`);
  return run;
}
