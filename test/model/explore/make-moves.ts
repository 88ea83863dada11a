import { countsIn, spentOf } from '../fault.ts';
import { movesOf } from '../moves/moves-of.ts';
import type { Setting } from '../setting.ts';
import type { State } from '../state.ts';
import { copyOf } from './key-of.ts';
import type { Made } from './model.ts';

/** Makes, each on a copy, all moves that the budget of faults allows. */
export function makeMoves(state: State, setting: Setting, report: (made: Made<State>) => void): void {
  const { budget } = setting;
  const isSpent = spentOf(state.used) >= (budget.total ?? Number.POSITIVE_INFINITY);
  movesOf(state, setting, (verb, change, fault) => {
    if (fault && state.used[fault] >= (budget[fault] ?? 0)) return;
    if (fault && isSpent && countsIn(fault)) return;
    const next = copyOf(state);
    if (fault) next.used = { ...state.used, [fault]: state.used[fault] + 1 };
    change(next);
    report({ next, verb, fault });
  });
}
