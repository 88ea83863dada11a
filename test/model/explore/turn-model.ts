import { checkPromises, isDone } from '../check-promises.ts';
import { countsIn, spentOf } from '../fault.ts';
import { movesOf } from '../moves/moves-of.ts';
import type { Setting } from '../setting.ts';
import { firstState, type State } from '../state.ts';
import { copyOf, keyOf } from './key-of.ts';
import type { Made, Model } from './model.ts';

/** Makes the model of one turn: one scene with its guards and its faults. */
export function turnModel(setting: Setting): Model<State> {
  return {
    first: firstState(setting.scene),
    keyOf,
    brokenIn: (state) => {
      checkPromises(state, setting.scene);
      return state.broken;
    },
    isDone: (state) => isDone(state, setting.scene),
    makeMoves: (state, report) => makeMoves(state, setting, report),
  };
}

/** Makes all moves that the budget of faults allows, each on a copy. */
function makeMoves(state: State, setting: Setting, report: (made: Made<State>) => void): void {
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
