import type { Model } from '../explore/model.ts';
import { type Left, plainModel } from '../explore/plain-model.ts';
import type { FallbackGuards } from './fallback-guards.ts';
import { movesOfFallback } from './fallback-moves.ts';
import { type FallbackFault, type FallbackState, firstFallbackState } from './fallback-state.ts';

/** A round with so many workers, its guards and its faults. */
export type FallbackSetting = { slots: number; guards: FallbackGuards; left: Left<FallbackFault> };

/** The model of the models that a round may ask (R24). */
export function fallbackModel({ slots, guards, left }: FallbackSetting): Model<FallbackState> {
  return plainModel({
    first: firstFallbackState({ slots, left }),
    movesOf: (state, emit) => movesOfFallback(state, guards, emit),
    brokenIn: () => null,
    isDone: ({ turn }) => turn.status === 'saved' || turn.status === 'failed',
  });
}
