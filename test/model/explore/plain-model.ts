import type { Model } from './model.ts';

/** Emits one thing that may happen next: its name, what it changes, and the fault it takes, if any. */
export type EmitPlain<S, F extends string> = (verb: string, change: (after: S) => void, fault?: F) => void;

/** How often each fault may still happen. */
export type Left<F extends string> = Partial<Record<F, number>>;

/** What a small model says of itself. Its state is plain data, which marks itself what was `broken` in it. */
export type PlainModel<S, F extends string> = {
  first: S;
  movesOf(state: S, emit: EmitPlain<S, F>): void;
  /** What must be true in every state. */
  brokenIn(state: S): string | null;
  isDone(state: S): boolean;
};

/** A model whose states are small enough to be copied and compared as they are. */
export function plainModel<S extends { broken: string | null; left: Left<F> }, F extends string>(
  plain: PlainModel<S, F>,
): Model<S> {
  return {
    first: plain.first,
    keyOf: (state) => JSON.stringify(state),
    brokenIn: (state) => state.broken ?? plain.brokenIn(state),
    isDone: plain.isDone,
    makeMoves: (state, report) =>
      plain.movesOf(state, (verb, change, fault) => {
        const left = fault === undefined ? 0 : (state.left[fault] ?? 0);
        if (fault !== undefined && left === 0) return;
        const next = copyPlain(state);
        if (fault !== undefined) next.left = { ...next.left, [fault]: left - 1 };
        change(next);
        report({ next, verb, fault });
      }),
  };
}

/** Copies plain data. `structuredClone` looks for much more, and was two thirds of what an exploration took. */
function copyPlain<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  // What has the entries of a T, each copied, is a T.
  if (Array.isArray(value)) return value.map(copyPlain) as T;
  const copy: Record<string, unknown> = {};
  for (const name in value) copy[name] = copyPlain(value[name]);
  return copy as T;
}
