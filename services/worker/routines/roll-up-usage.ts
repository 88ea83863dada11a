import { rollUpQuarters, rollUpUsage } from '#core/checkpoint/usage/roll-up-usage.ts';
import type { WorkerContext } from '../context.ts';

/** The maximum number of batches. The remaining rows wait for the next time. */
const MAX_PORTIONS = 100;

/** Rolls up the usage records and the sums of quarters that are old enough, batch by batch. */
export async function rollUpAllUsage({ db }: Pick<WorkerContext, 'db'>): Promise<void> {
  for (const rollUp of [rollUpUsage, rollUpQuarters])
    for (let portion = 0; portion < MAX_PORTIONS; portion += 1) if (!(await rollUp(db))) break;
}
