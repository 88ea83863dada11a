import type { Model } from '../explore/model.ts';
import { type Left, plainModel } from '../explore/plain-model.ts';
import type { EditionGuards } from './edition-guards.ts';
import { movesOfEdition } from './edition-moves.ts';
import { type EditionFault, type EditionState, firstEditionState } from './edition-state.ts';

/** A round with so many workers, its guards and its faults. */
export type EditionSetting = { slots: number; guards: EditionGuards; left: Left<EditionFault> };

/** The model of the editions of one round (R18). */
export function editionModel({ slots, guards, left }: EditionSetting): Model<EditionState> {
  return plainModel({
    first: firstEditionState({ slots, left }),
    movesOf: (state, emit) => movesOfEdition(state, guards, emit),
    brokenIn: () => null,
    isDone: ({ turn }) => turn.status === 'saved' || turn.status === 'failed',
  });
}
