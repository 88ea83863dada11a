import { rollUpQuarters, rollUpUsage } from '#core/checkpoint/usage/roll-up-usage.ts';
import type { WorkerContext } from '../context.ts';

/** The maximum number of batches. The remaining rows wait for the next time. */
const MAX_BATCHES = 100;

/** Rolls up the usage records and the sums of quarters that are old enough, batch by batch. */
export async function rollUpAllUsage({ db }: Pick<WorkerContext, 'db'>): Promise<void> {
  for (const rollUp of [rollUpUsage, rollUpQuarters])
    for (let batch = 0; batch < MAX_BATCHES; batch += 1) if (!(await rollUp(db))) break;
}
