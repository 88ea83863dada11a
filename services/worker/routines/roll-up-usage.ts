import { rollUpQuarters, rollUpUsage } from '#core/checkpoint/usage/roll-up-usage.ts';
import type { WorkerContext } from '../context.ts';

/** Portions of one time; what is left waits for the next. */
const MAX_PORTIONS = 100;

/** Rolls up, portion by portion, the usage records and the sums of quarters that are old enough. */
export async function rollUpAllUsage({ db }: Pick<WorkerContext, 'db'>): Promise<void> {
  for (const rollUp of [rollUpUsage, rollUpQuarters])
    for (let portion = 0; portion < MAX_PORTIONS; portion += 1) if (!(await rollUp(db))) break;
}
