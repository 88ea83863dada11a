import { findStuck, makeEdges } from './find-stuck.ts';
import type { Model } from './model.ts';
import { pathTo, type Seen } from './path-to.ts';

/** The outcome of an exploration. `path` leads to the first state that breaks a promise or from which nothing ends. */
export type Verdict = { states: number; edges: number; path: string[] } & (
  | { kind: 'safe' }
  | { kind: 'broken'; promise: string }
  | { kind: 'stuck'; count: number }
  | { kind: 'cut' }
);

/** How far an exploration may go. */
export type Bounds = { maxStates: number; isOver?: () => boolean };

/**
 * Visits every state that can be reached, nearest first, and checks each; then finds out from which of them all can
 * still be done without another fault. Stops at the first broken promise.
 */
export function explore<S>(model: Model<S>, { maxStates, isOver = () => false }: Bounds): Verdict {
  const seen: Seen = { ids: new Map(), cameFrom: [] };
  const { ids, cameFrom } = seen;
  const done: number[] = [];
  const edges = makeEdges();
  let waiting: S[] = [];

  const visit = (state: S, from: number): number => {
    const key = model.keyOf(state);
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = ids.size;
    ids.set(key, id);
    cameFrom.push(from);
    if (model.isDone(state)) done.push(id);
    waiting.push(state);
    return id;
  };
  const size = () => ({ states: ids.size, edges: edges.count() });

  visit(model.first, -1);
  for (let at = 0; waiting.length > 0; ) {
    const level = waiting;
    waiting = [];
    for (const state of level) {
      const promise = model.brokenIn(state);
      if (promise) return { kind: 'broken', promise, ...size(), path: pathTo(at, seen, model) };
      model.makeMoves(state, ({ next, fault }) => edges.add(at, visit(next, at), fault === undefined));
      at += 1;
    }
    if (ids.size > maxStates || isOver()) return { kind: 'cut', ...size(), path: [] };
  }
  const stuck = findStuck(ids.size, edges, done);
  if (!stuck) return { kind: 'safe', ...size(), path: [] };
  return { kind: 'stuck', count: stuck.count, ...size(), path: pathTo(stuck.first, seen, model) };
}
