import type { Wakeup } from '#core/turn/wakeup.ts';
import type { ApiContext } from './context.ts';

/** What follows a commit: enqueue its wake-ups, stop the workers on turns it ended, wake the watchers. */
export async function publishChanges(
  { enqueue, pubsub }: Pick<ApiContext, 'enqueue' | 'pubsub'>,
  { wakeups, ended = [], changed = [] }: { wakeups: Wakeup[]; ended?: string[]; changed?: string[] },
): Promise<void> {
  for (const turnId of ended) pubsub.publishToWorkers({ kind: 'cancelled', turnId });
  for (const turnId of [...ended, ...changed]) pubsub.publishToTurn({ kind: 'wake', turnId });
  if (wakeups.length > 0) await enqueue(wakeups);
}
