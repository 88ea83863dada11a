import { eraseHidden } from '#core/checkpoint/deletion/erase-hidden.ts';
import type { WorkerContext } from '../context.ts';

const AT_ONCE = 100;

/** Forks deeper than this, or conversations beyond as many portions, wait for the next time. */
const MAX_PORTIONS = 1_000;

/**
 * Erases, portion by portion, what can be erased by now: a fork that goes makes what it stood on due, so a line of forks
 * goes at once.
 */
export async function eraseAllHidden({ db }: Pick<WorkerContext, 'db'>): Promise<void> {
  for (let portion = 0; portion < MAX_PORTIONS; portion += 1) if ((await eraseHidden(db, AT_ONCE)) === 0) return;
}
