import { queueDelayed } from '#core/checkpoint/turns/delays/queue-delayed.ts';
import { type Publishing, publishChanges } from '../../process/publish-changes.ts';

const AT_ONCE = 200;

/** Queues all delayed turns that are due, and enqueues those at the head of their conversations (R35). */
export async function queueAllDelayed(context: Publishing): Promise<void> {
  let queued = AT_ONCE;
  while (queued >= AT_ONCE) {
    const { wakeups, turnIds } = await queueDelayed(context.db, {
      limit: AT_ONCE,
      needsSlot: context.admission.isNeeded(),
    });
    queued = turnIds.length;
    if (queued > 0) await publishChanges(context, { wakeups, changed: turnIds });
  }
}
