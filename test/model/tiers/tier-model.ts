import type { Model } from '../explore/model.ts';
import { plainModel } from '../explore/plain-model.ts';
import type { TierGuards } from './tier-guards.ts';
import { movesOfTiers } from './tier-moves.ts';
import { firstTierState, type TierScene, type TierState } from './tier-state.ts';

/** A turn on `flex`, and its guards. */
export type TierSetting = TierScene & { guards: TierGuards };

/** The model of the tiers that a round may be asked on (R24). */
export function tierModel({ guards, ...scene }: TierSetting): Model<TierState> {
  return plainModel({
    first: firstTierState(scene),
    movesOf: (state, emit) => movesOfTiers(state, guards, emit),
    brokenIn: () => null,
    isDone: ({ turn }) => turn.status === 'saved' || turn.status === 'failed',
  });
}
