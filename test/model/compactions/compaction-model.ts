import type { Model } from '../explore/model.ts';
import { type Left, plainModel } from '../explore/plain-model.ts';
import type { CompactionGuards } from './compaction-guards.ts';
import { movesOfCompaction } from './compaction-moves.ts';
import { type CompactionFault, type CompactionState, firstCompactionState } from './compaction-state.ts';

/** The guards and the faults of a round. */
type CompactionSetting = { guards: CompactionGuards; left: Left<CompactionFault> };

/** The model of the compaction before one round (R23). */
export function compactionModel({ guards, left }: CompactionSetting): Model<CompactionState> {
  return plainModel({
    first: firstCompactionState(left),
    movesOf: (state, emit) => movesOfCompaction(state, guards, emit),
    brokenIn: () => null,
    isDone: ({ status }) => status !== 'active',
  });
}
