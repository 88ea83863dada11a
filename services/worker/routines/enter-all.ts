import { enterBatch } from '#core/checkpoint/search/enter-turns.ts';
import type { WorkerContext } from '../context.ts';

/** The maximum number of batches. The remaining rows wait for the next time. */
const MAX_BATCHES = 1_000;

/** Enters new and ended rows into the search, batch by batch, so that searches find them by an index. */
export async function enterAll({ db }: Pick<WorkerContext, 'db'>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) if (!(await enterBatch(db))) return;
}
