import type { Model } from './model.ts';

/** The outcome of an exploration. `path` leads to the first state that breaks a promise or is stuck. */
export type Verdict = { states: number; edges: number; path: string[] } & (
  | { kind: 'safe' }
  | { kind: 'broken'; promise: string }
  | { kind: 'stuck'; count: number }
  | { kind: 'cut' }
);

export type Bounds = { maxStates: number; isOver?: () => boolean };

/**
 * Visits every reachable state, nearest first, and checks each. Then finds the states from which the work can finish
 * without another fault. Stops at the first broken promise.
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

/** The states that an exploration has reached: the number of each state, and the state that first led to it. */
type Seen = { ids: Map<string, number>; cameFrom: number[] };

/** Walks from the first state to another, and names each move, faults included. */
function pathTo<S>(goal: number, { ids, cameFrom }: Seen, model: Model<S>): string[] {
  const way: number[] = [];
  for (let id = goal; id > 0; id = cameFrom[id] ?? 0) way.unshift(id);
  const keys = new Map([...ids].filter(([, id]) => way.includes(id)).map(([key, id]) => [id, key]));

  let state = model.first;
  return way.map((id) => {
    let step = '';
    const from = state;
    model.makeMoves(from, ({ next, verb, fault }) => {
      if (step || model.keyOf(next) !== keys.get(id)) return;
      step = fault ? `${verb} [${fault}]` : verb;
      state = next;
    });
    return step;
  });
}

/** The edges between states. `isFree` marks a move that needs no fault. */
type Edges = {
  add(from: number, to: number, isFree: boolean): void;
  count(): number;
  /** The edges that need no fault, as two lists of equal length. */
  free(): { from: Int32Array; to: Int32Array };
};

function makeEdges(): Edges {
  let from = new Int32Array(1 << 14);
  let to = new Int32Array(1 << 14);
  let [free, all] = [0, 0];
  return {
    add: (source, target, isFree) => {
      all += 1;
      if (!isFree || source === target) return;
      if (free === from.length) [from, to] = [doubled(from), doubled(to)];
      from[free] = source;
      to[free] = target;
      free += 1;
    },
    count: () => all,
    free: () => ({ from: from.subarray(0, free), to: to.subarray(0, free) }),
  };
}

/**
 * Returns the number of states from which no state of `done` is reachable without a fault, and the nearest. Null if
 * there are none.
 */
function findStuck(states: number, edges: Edges, done: number[]): { count: number; first: number } | null {
  const { from, to } = edges.free();
  const newest = new Int32Array(states).fill(-1);
  const older = new Int32Array(from.length);
  to.forEach((target, edge) => {
    older[edge] = newest[target] ?? -1;
    newest[target] = edge;
  });

  const isGood = new Uint8Array(states);
  const waiting = [...done];
  for (const id of done) isGood[id] = 1;
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    for (let edge = newest[id] ?? -1; edge >= 0; edge = older[edge] ?? -1) {
      const source = from[edge] ?? 0;
      if (isGood[source]) continue;
      isGood[source] = 1;
      waiting.push(source);
    }
  }
  const count = states - isGood.reduce((sum, good) => sum + good, 0);
  return count > 0 ? { count, first: isGood.indexOf(0) } : null;
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const bigger = new Int32Array(array.length * 2);
  bigger.set(array);
  return bigger;
}
