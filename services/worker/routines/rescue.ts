import { rescueTurns, revertRescues } from '#core/checkpoint/rescue.ts';
import type { WorkerContext } from '../context.ts';

const AT_ONCE = 200;

type Rescuer = Pick<WorkerContext, 'db' | 'enqueue' | 'log' | 'rateLimits' | 'metrics'>;

/** Enqueues again the turns that are due and have no worker. Returns the number of turns. */
export async function rescue({ db, enqueue, log, rateLimits, metrics }: Rescuer): Promise<number> {
  const wakeups = await rescueTurns(db, AT_ONCE, rateLimits.limited());
  if (wakeups.length === 0) return 0;
  log.info({ event: 'wakeups.rescued', wakeups: wakeups.length }, `rescue: ${wakeups.length} enqueued again`);
  if (await enqueue(wakeups)) metrics.rescued(wakeups.length);
  else await revertRescues(db, wakeups);
  return wakeups.length;
}
