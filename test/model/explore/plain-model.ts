import type { Left } from '../fault.ts';
import type { Emit, Model } from './model.ts';

/** The fields that all small models share: the remaining faults, and the promise that was broken on the way. */
export type Kept = { left: Left; broken: string | null };

/** A small model. Its state is plain data and marks in `broken` the promise that it breaks. */
export type PlainModel<S extends Kept> = {
  first: Omit<S, keyof Kept>;
  faults: Left;
  movesOf(state: S, emit: Emit<S>): void;
  /** Returns the broken promise of a state, checked in every state. */
  brokenIn?(state: S): string | null;
  isDone(state: S): boolean;
};

/** Makes a model with states that are small enough to copy and compare as they are. */
export function plainModel<S extends Kept>({ first, faults, movesOf, brokenIn, isDone }: PlainModel<S>): Model<S> {
  return {
    // `Kept` is the only part of S that a model does not give.
    first: { ...first, left: faults, broken: null } as unknown as S,
    keyOf: (state) => JSON.stringify(state),
    brokenIn: (state) => state.broken ?? brokenIn?.(state) ?? null,
    isDone,
    makeMoves: (state, report) =>
      movesOf(state, (verb, change, fault) => {
        const left = fault === undefined ? 0 : (state.left[fault] ?? 0);
        if (fault !== undefined && left === 0) return;
        const next = copyPlain(state);
        if (fault !== undefined) next.left = { ...next.left, [fault]: left - 1 };
        change(next);
        report({ next, verb, fault });
      }),
  };
}

/** Copies plain data. `structuredClone` checks much more, and took two thirds of an exploration's time. */
function copyPlain<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  // A value with the copied entries of a T is a T.
  if (Array.isArray(value)) return value.map(copyPlain) as T;
  const copy: Record<string, unknown> = {};
  for (const name in value) copy[name] = copyPlain(value[name]);
  return copy as T;
}

/** Returns the element of a list that must exist. */
export function at<T>(list: T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new Error(`The list has no element ${index}.`);
  return element;
}
