import type { BatchStore } from './batch-store.ts';
import type { BatchError, KeptBatch } from './kept-batch.ts';
import type { BatchLine, BatchPlan } from './plan-batch.ts';

type NewBatch = Pick<KeptBatch, 'api' | 'id' | 'account' | 'model' | 'metadata'> & {
  source?: KeptBatch['source'];
  lines: BatchLine[];
  errors?: BatchError[];
};

/** Keeps a new batch, which runs by its plan. A batch with errors of its validation has ended. */
export function keepBatch(batch: NewBatch, plan: BatchPlan, store: BatchStore): KeptBatch {
  const { api, id, account, model, metadata, lines, errors = [] } = batch;
  const now = Date.now();
  const kept: KeptBatch = {
    ...{ api, id, account, model, metadata, errors },
    source: batch.source ?? { endpoint: '', file: '' },
    createdAt: now,
    listedAt: now + plan.listMs,
    endsAt: errors.length > 0 ? now : now + plan.delayMs,
    cancelledAt: null,
    outcomes: errors.length > 0 ? [] : plan.outcomes,
    files: null,
    // A batch of Gemini shows its results with its state, so the first read is the read of a state.
    readsBeforeCut: plan.isCut ? Number(api === 'gemini') : null,
  };
  store.keep(kept, lines);
  return kept;
}
