import { LRUCache } from 'lru-cache';
import { DELIVERY_BOUNDS } from '#core/bounds/delivery-bounds.ts';
import type { DueDelivery } from '#core/checkpoint/webhooks/take-deliveries.ts';

/** A receiver of a project's deliveries: an endpoint, or the host of a turn's own webhook. */
export type ReceiverName = Pick<DueDelivery, 'project' | 'receiver'>;

/** The receivers that a worker has sent to, by the outcome of the last attempt at each. */
export type KnownReceivers = {
  note(of: ReceiverName, hasAnswered: boolean): void;
  hasAnswered(of: ReceiverName): boolean;
  /** The receivers that answered their last attempt, the latest first. */
  answered(): ReceiverName[];
  /** The receivers that did not answer their last attempt, the latest first. */
  unanswered(): ReceiverName[];
};

/** Remembers the last receivers of each outcome separately, so that neither outcome displaces the other. */
export function makeKnownReceivers(): KnownReceivers {
  const answered = new LRUCache<string, ReceiverName>({ max: DELIVERY_BOUNDS.rememberedReceivers });
  const unanswered = new LRUCache<string, ReceiverName>({ max: DELIVERY_BOUNDS.rememberedReceivers });
  return {
    note: ({ project, receiver }, hasAnswered) => {
      const key = receiverKey({ project, receiver });
      const [latest, other] = hasAnswered ? [answered, unanswered] : [unanswered, answered];
      latest.set(key, { project, receiver });
      other.delete(key);
    },
    hasAnswered: (of) => answered.has(receiverKey(of)),
    answered: () => [...answered.values()],
    unanswered: () => [...unanswered.values()],
  };
}

/** Returns a key for a receiver of a project. */
export function receiverKey({ project, receiver }: ReceiverName): string {
  return JSON.stringify([project, receiver]);
}
