import { eraseHidden } from '#core/checkpoint/deletion/erase-hidden.ts';
import type { WorkerContext } from '../context.ts';

const AT_ONCE = 100;

/** The maximum number of batches. Deeper forks, and conversations beyond this, wait for the next time. */
const MAX_BATCHES = 1_000;

/**
 * Erases all hidden turns without dependants, batch by batch. An erased fork makes its origin due, so a fork and its
 * emptied origins are erased at once.
 */
export async function eraseAllHidden({ db }: Pick<WorkerContext, 'db'>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) if ((await eraseHidden(db, AT_ONCE)) === 0) return;
}
