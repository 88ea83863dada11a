import { enterPortion } from '#core/checkpoint/search/enter-turns.ts';
import type { WorkerContext } from '../context.ts';

/** The maximum number of batches. The remaining rows wait for the next time. */
const MAX_PORTIONS = 1_000;

/** Enters new and ended rows into the search, batch by batch, so that searches find them by an index. */
export async function enterAll({ db }: Pick<WorkerContext, 'db'>): Promise<void> {
  for (let portion = 0; portion < MAX_PORTIONS; portion += 1) if (!(await enterPortion(db))) return;
}
