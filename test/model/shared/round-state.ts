import type { Kept } from '../explore/plain-model.ts';

/** The row of a turn with a round that is due, as far as its lease and its job need it. */
type RoundTurn = {
  status: 'active' | 'failed' | 'saved';
  /** `turns.step`: the batch between the rounds takes no time. */
  round: number;
  /** `generation` > 0. */
  isRaised: boolean;
  /** The run that the lease names: a slot, or one that is over. */
  owner: number | 'over' | 'none';
  lease: 'none' | 'live' | 'expired';
  due: 'far' | 'late' | 'never' | 'null';
};

/** A commit that a run has decided on. */
export type Commit = 'saving' | 'waiting' | 'postponing' | 'changing' | 'failing';

/** A worker's slot, and the run in it. */
type RoundRun = {
  at: 'idle' | 'wants-lease' | 'asking' | Commit;
  /** The round that it has loaded. */
  round: number;
  /** The generation that it loaded is still the row's. */
  isFresh: boolean;
  knowsLease: boolean;
  isLost: boolean;
  isAsleep: boolean;
};

/** A turn, its jobs, and the runs that may be on it; each small model of rounds adds columns to turns and runs. */
export type RoundState<Turn = unknown, Run = unknown> = Kept & {
  turn: RoundTurn & Turn;
  /** The job of the present generation, and one of an earlier. */
  queue: { now: boolean; old: boolean };
  /** The first worker's: the round that its commit of the step before made due; 0 without one. */
  cached: number;
  runs: (RoundRun & Run)[];
};

/** A turn whose first round is due for the first time. A `queued` one has no cache and cannot start without a lease. */
export function firstRound<Turn, Run>(turn: Turn, run: Run): Omit<RoundState<Turn, Run>, keyof Kept> {
  return {
    turn: { status: 'active', round: 1, isRaised: false, owner: 'none', lease: 'none', due: 'far', ...turn },
    queue: { now: true, old: false },
    cached: 1,
    runs: [
      { ...idleRound(), ...run },
      { ...idleRound(), ...run },
    ],
  };
}

/** A slot without a run. */
export function idleRound(): RoundRun {
  return { at: 'idle', round: 0, isFresh: false, knowsLease: false, isLost: false, isAsleep: false };
}
