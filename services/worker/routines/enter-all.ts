import { enterPortion } from '#core/checkpoint/search/enter-turns.ts';
import type { WorkerContext } from '../context.ts';

/** What is left after as many portions waits for the next time. */
const MAX_PORTIONS = 1_000;

/** Enters, portion by portion, what was made or has ended since the last time, so that searches find it by an index. */
export async function enterAll({ db }: Pick<WorkerContext, 'db'>): Promise<void> {
  for (let portion = 0; portion < MAX_PORTIONS; portion += 1) if (!(await enterPortion(db))) return;
}
