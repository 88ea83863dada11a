import type { Pubsub } from '#core/pubsub/pubsub.ts';

/** Notifies workers that a commit has made deliveries due. The clock finds deliveries of lost notifications. */
export type DueDeliveries = {
  announce(): void;
  /** Registers the worker of this process, until the returned function is called. */
  listen(listener: () => void): () => void;
};

/** Notifies the worker of this process, or all workers if this process has none. */
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
