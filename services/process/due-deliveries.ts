import type { Pubsub } from '#core/pubsub/pubsub.ts';

/** Tells workers that a commit has made deliveries due. What gets lost is found by the clock a moment later. */
export type DueDeliveries = {
  announce(): void;
  /** Listens as the worker of this process, until the returned function is called. */
  listen(listener: () => void): () => void;
};

/** Tells the worker of this process, or all workers where it has none. */
export function makeDueDeliveries(pubsub: Pick<Pubsub, 'publishToWorkers'>): DueDeliveries {
  const listeners = new Set<() => void>();
  return {
    announce: () => {
      if (listeners.size === 0) pubsub.publishToWorkers({ kind: 'deliveries' });
      for (const listener of listeners) listener();
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
