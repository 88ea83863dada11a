import type { Model } from './model.ts';

/** What an exploration has seen: the number of each state, and from which other it was first reached. */
export type Seen = { ids: Map<string, number>; cameFrom: number[] };

/** Walks from the first state to another once more, and names what happens on the way, faults included. */
export function pathTo<S>(goal: number, { ids, cameFrom }: Seen, model: Model<S>): string[] {
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
