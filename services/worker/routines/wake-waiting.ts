import { wakeWaiting } from '#core/checkpoint/provider-limits/wake-waiting.ts';
import type { WorkerContext } from '../context.ts';

type Waker = Pick<WorkerContext, 'db' | 'enqueue' | 'providerLimits'>;

/** Workers that have checked once: turns may wait under limits that are no longer configured. */
const looked = new WeakSet<Waker>();

/** Wakes the turns for which there is room under the limits of providers. Without limits, it looks once. */
export async function wakeAllWaiting(context: Waker): Promise<void> {
  const { db, enqueue, providerLimits } = context;
  if (providerLimits.all.length === 0 && looked.has(context)) return;
  const wakeups = await wakeWaiting(db, providerLimits.all);
  looked.add(context);
  if (wakeups.length > 0) await enqueue(wakeups);
}
