import { setTimeout as sleep } from 'node:timers/promises';
import { takeDeliveries } from '#core/checkpoint/webhooks/take-deliveries.ts';
import { isTransient } from '#core/postgres/retry-transient.ts';
import { workOnRequest } from '../../process/work-on-request.ts';
import type { WorkerContext } from '../context.ts';
import { deliverWebhook } from '../deliver-webhook.ts';
import { type DeliverySlots, makeDeliverySlots } from './delivery-slots.ts';

/** The loop that takes due deliveries from their rows whenever the worker has slots for them. */
export type DeliveryLoop = {
  /** Takes new due deliveries soon, once for all callers that ask before it runs. */
  request(): void;
  /**
   * Takes deliveries by the clock: retries, deliveries of other processes, and slots that slow attempts have
   * released.
   */
  tick(): Promise<void>;
  /** Takes no more deliveries, and waits for the running attempts, `graceMs` at most. */
  close(graceMs: number): Promise<void>;
};

/** Makes the loop of a worker with `concurrency` slots for deliveries. */
export function makeDeliveryLoop(context: WorkerContext, concurrency: number): DeliveryLoop {
  const slots = makeDeliverySlots(concurrency);
  const underWay = new Set<Promise<void>>();
  const looks = workOnRequest(look, context.availability.suspect);
  /** True if the last look may have left due deliveries for lack of slots. */
  let mayLeaveMore = false;
  let isClosing = false;

  async function look(): Promise<void> {
    if (isClosing) return;
    const started = await startDue(context, slots);
    for (const attempt of started) {
      const done = attempt.then((leavesNext) => {
        underWay.delete(done);
        if (leavesNext || mayLeaveMore) request();
      });
      underWay.add(done);
    }
    const { free, firsts, projects, receivers } = slots.room(context.projects.configured());
    mayLeaveMore = free <= 0 || [...projects, ...receivers].some(({ room }) => room <= 0);
    // One look begins only a few first attempts.
    if (firsts > 0 && started.length > 0) request();
  }

  function request(): void {
    if (!isClosing) looks.request();
  }

  return {
    request,
    tick: async () => {
      request();
      await looks.settled();
    },
    close: async (graceMs) => {
      isClosing = true;
      await looks.settled();
      await Promise.race([Promise.all(underWay), sleep(graceMs, undefined, { ref: false })]);
    },
  };
}

/**
 * Takes due deliveries and begins an attempt for each. Each promise resolves to whether another delivery waits. A
 * failed attempt is only logged, since its row is due again when its lease has ended.
 */
export async function startDue(context: WorkerContext, slots: DeliverySlots): Promise<Promise<boolean>[]> {
  const room = slots.room(context.projects.configured());
  if (room.free <= 0 && room.firsts <= 0) return [];
  const due = await takeDeliveries(context.db, room);
  return due.map(async (delivery) => {
    const leave = slots.enter(delivery);
    let hasAnswered = false;
    try {
      const attempt = await deliverWebhook(delivery, context);
      hasAnswered = attempt.hasAnswered;
      return attempt.leavesNext;
    } catch (error) {
      logBreak(error, { delivery_id: delivery.id, turn_id: delivery.turnId }, context);
      return false;
    } finally {
      leave(hasAnswered);
    }
  });
}

function logBreak(error: unknown, ids: object, { log, availability }: WorkerContext): void {
  availability.suspect(error);
  const about = { event: 'delivery.broke_off', ...ids };
  if (isTransient(error))
    log.warn({ ...about, code: error.code }, 'a delivery failed at the database and will be tried again');
  else log.error({ ...about, err: error }, 'a delivery failed and will be tried again');
}
