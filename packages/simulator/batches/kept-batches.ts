import type { BatchAct } from './batch-request.ts';
import { type BatchLimits, type CreatedBatch, makeBatchStore } from './batch-store.ts';
import { hasEnded, type KeptBatch } from './kept-batch.ts';

/** The batches that a simulator keeps, for tests. */
export type KeptBatches = {
  limits: BatchLimits;
  /** The requests about batches and their files, by kind. */
  counts: Record<BatchAct, number>;
  /** The batches that were created, also after their deletion, without refused batches. */
  created: readonly CreatedBatch[];
  /** Returns the batches that are still kept, the oldest first. */
  list(): (Pick<KeptBatch, 'api' | 'id' | 'model' | 'metadata'> & { hasEnded: boolean; isCancelled: boolean })[];
  /** Returns the files that are still kept. A file is used if it belongs to a batch that ran. */
  files(): { id: string; isUsed: boolean }[];
  /** Ends a batch now, with the planned ends of its requests. */
  end(id: string): void;
  /** Makes all batches older by a time. They still end at the same moment. */
  age(ms: number): void;
  /** Shows a batch in lists from now on. */
  show(id: string): void;
  /** Loses a batch: each later request about the batch gets 404. */
  lose(id: string): void;
};

/** Opens the kept batches, with the store that the server uses. */
export function openKeptBatches(limits: Partial<BatchLimits> = {}) {
  const store = makeBatchStore(limits);
  const counts = { upload: 0, create: 0, list: 0, read: 0, file: 0, results: 0, cancel: 0, delete: 0 };
  const change = (id: string, changed: Partial<KeptBatch>) => {
    const batch = store.all().find((kept) => kept.id === id);
    if (batch) Object.assign(batch, changed);
  };
  const batches: KeptBatches = {
    limits: store.limits,
    counts,
    created: store.created,
    list: () =>
      store.all().map((batch) => {
        const { api, id, model, metadata, cancelledAt } = batch;
        return { api, id, model, metadata, hasEnded: hasEnded(batch), isCancelled: cancelledAt !== null };
      }),
    files: () => {
      const ran = store.all().filter(({ errors }) => errors.length === 0);
      const sources = new Set(ran.map(({ source }) => source.file));
      return store.files.all().map(({ id, batch }) => ({ id, isUsed: batch !== null || sources.has(id) }));
    },
    end: (id) => change(id, { endsAt: Date.now() }),
    age: (ms) => {
      for (const batch of store.all()) batch.createdAt -= ms;
    },
    show: (id) => change(id, { listedAt: Date.now() }),
    lose: store.lose,
  };
  return {
    batches,
    store,
    count: (act: BatchAct) => {
      counts[act] += 1;
    },
  };
}
