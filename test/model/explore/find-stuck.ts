/** Which state leads to which; `isFree` marks what needs no fault. */
export type Edges = {
  add(from: number, to: number, isFree: boolean): void;
  count(): number;
  /** The edges that need no fault, as two lists of equal length. */
  free(): { from: Int32Array; to: Int32Array };
};

/** Keeps edges in arrays that grow. */
export function makeEdges(): Edges {
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

/** The states from which none of `done` can be reached without a fault: how many, and the nearest one. Null if none. */
export function findStuck(states: number, edges: Edges, done: number[]): { count: number; first: number } | null {
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
