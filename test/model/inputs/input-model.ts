import type { Model } from '../explore/model.ts';
import { type Left, plainModel } from '../explore/plain-model.ts';
import type { InputGuards } from './input-guards.ts';
import { movesOfInputs } from './input-moves.ts';
import { firstInputState, type InputFault, type InputState, isActive } from './input-state.ts';

/** The guards and the faults of a turn. */
type InputSetting = { guards: InputGuards; left: Left<InputFault> };

/** The model of a turn that inputs join (R26, R29, R30). */
export function inputModel({ guards, left }: InputSetting): Model<InputState> {
  return plainModel({
    first: firstInputState(left),
    movesOf: (state, emit) => movesOfInputs(state, guards, emit),
    brokenIn: () => null,
    isDone: (state) => !isActive(state) && state.callers.every(({ saw }) => saw === null),
  });
}
