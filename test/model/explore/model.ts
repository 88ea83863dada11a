import type { AnyFault } from '../fault.ts';

/** Emits one possible move: its name, its change, and the fault that it takes, if any. */
export type Emit<S, F extends AnyFault = AnyFault> = (verb: string, change: (after: S) => void, fault?: F) => void;

/** One move that was made. `fault` is the fault that it needed. */
export type Made<S> = { next: S; verb: string; fault: string | undefined };

/** A model: its first state, the possible moves, the promises, and the states that are done. */
export type Model<S> = {
  first: S;
  /** Returns the same text for two states exactly if the same moves are possible in both. */
  keyOf(state: S): string;
  /** Returns the promise that a state breaks, or that was broken on the way to it. */
  brokenIn(state: S): string | null;
  isDone(state: S): boolean;
  /** Makes every possible move, each on a copy. */
  makeMoves(state: S, report: (made: Made<S>) => void): void;
};
