import type { Kept } from '../explore/plain-model.ts';

/** The row of a turn with a due round, with the columns that its lease and its job need. */
type RoundTurn = {
  status: 'active' | 'failed' | 'saved';
  /** `turns.step`. The batch between the rounds takes no time. */
  round: number;
  /** `generation` > 0. */
  isRaised: boolean;
  /** The run that the lease names: a slot, or a run that is over. */
  owner: number | 'over' | 'none';
  lease: 'none' | 'live' | 'expired';
  due: 'far' | 'late' | 'never' | 'null';
};

/** A commit that a run has decided on. */
export type Commit = 'saving' | 'waiting' | 'postponing' | 'changing' | 'failing';

/** A worker's slot, and the run in it. */
type RoundRun = {
  at: 'idle' | 'wants-lease' | 'asking' | Commit;
  round: number;
  /** Whether the row still has the generation that the run loaded. */
  isFresh: boolean;
  knowsLease: boolean;
  isLost: boolean;
  isAsleep: boolean;
};

/** A turn, its jobs, and the runs that may be on it. Each small model of rounds adds columns to turns and runs. */
export type RoundState<Turn = unknown, Run = unknown> = Kept & {
  turn: RoundTurn & Turn;
  /** The job of the present generation, and a job of an earlier generation. */
  queue: { now: boolean; old: boolean };
  /** The cache of the first worker: the round that its last commit made due, or 0. */
  cached: number;
  runs: (RoundRun & Run)[];
};

/**
 * Returns a turn at its first round, due for the first time. A `queued` turn has no cache and requires a lease to
 * start.
 */
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

export function idleRound(): RoundRun {
  return { at: 'idle', round: 0, isFresh: false, knowsLease: false, isLost: false, isAsleep: false };
}
