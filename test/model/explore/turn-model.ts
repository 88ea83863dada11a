import { checkPromises, isDone } from '../check-promises.ts';
import type { Setting } from '../setting.ts';
import { firstState, type State } from '../state.ts';
import { keyOf } from './key-of.ts';
import { makeMoves } from './make-moves.ts';
import type { Model } from './model.ts';

/** The model of one turn: a scene of it, with its guards and its faults. */
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
