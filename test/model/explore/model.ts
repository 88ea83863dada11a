import type { AnyFault } from '../fault.ts';

/** Emits one thing that may happen next: its name, what it changes, and the fault it takes, if any. */
export type Emit<S, F extends AnyFault = AnyFault> = (verb: string, change: (after: S) => void, fault?: F) => void;

/** One move that was made; `fault` is what had to go wrong for it. */
export type Made<S> = { next: S; verb: string; fault: string | undefined };

/** What can be explored: where it begins, what may happen next, what must be true, and when all is done. */
export type Model<S> = {
  first: S;
  /** The same text for two states exactly if the same may happen next in both. */
  keyOf(state: S): string;
  /** The promise that a state breaks, or that was broken on the way to it. */
  brokenIn(state: S): string | null;
  isDone(state: S): boolean;
  /** Makes every move that may happen next, each on a copy. */
  makeMoves(state: S, report: (made: Made<S>) => void): void;
};
