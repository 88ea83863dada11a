import type { Setting } from '../setting.ts';
import { firstState } from '../state.ts';
import { keyOf } from './key-of.ts';
import { makeMoves } from './make-moves.ts';

/** What an exploration has seen: the number of each state, and from which other it was first reached. */
export type Seen = { ids: Map<string, number>; cameFrom: number[] };

/** Walks from the first state to another once more, and names what happens on the way, faults included. */
export function pathTo(goal: number, { ids, cameFrom }: Seen, setting: Setting): string[] {
  const way: number[] = [];
  for (let id = goal; id > 0; id = cameFrom[id] ?? 0) way.unshift(id);
  const keys = new Map([...ids].filter(([, id]) => way.includes(id)).map(([key, id]) => [id, key]));

  let state = firstState(setting.scene);
  return way.map((id) => {
    let step = '';
    const from = state;
    makeMoves(from, setting, ({ next, verb, fault }) => {
      if (step || keyOf(next) !== keys.get(id)) return;
      step = fault ? `${verb} [${fault}]` : verb;
      state = next;
    });
    return step;
  });
}
