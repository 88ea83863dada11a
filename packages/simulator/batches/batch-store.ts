import { type Attempts, makeAttempts } from './attempts.ts';
import type { BatchApi, KeptBatch } from './kept-batch.ts';

/** The limits of batches. A test may change them at any time. */
export type BatchLimits = {
  /** The time until a batch ends, unless its script says otherwise. */
  delayMs: number;
  /** The most requests and bytes of a batch. The limits of each API also count. */
  maxRequests: number;
  maxBytes: number;
  /** The most batches, and the most files. Beyond that the oldest is deleted. */
  maxKept: number;
};

const BATCH_LIMITS: BatchLimits = { delayMs: 2_000, maxRequests: 100_000, maxBytes: 256 * 2 ** 20, maxKept: 1_000 };

/** An uploaded file, or a file of results. `batch` is the batch of its results, or null. */
export type KeptFile = {
  id: string;
  account: string;
  name: string;
  purpose: 'batch' | 'batch_output';
  createdAt: number;
  expiresAt: number | null;
  text: string;
  batch: string | null;
};

/** The request that creates a batch, as tests see it. `sent` are the bodies of its requests. */
export type CreatedBatch = Pick<KeptBatch, 'api' | 'id' | 'model' | 'metadata'> & {
  requests: { id: string; sent: unknown }[];
};

export type BatchStore = {
  limits: BatchLimits;
  attempts: Attempts;
  /** The batches that were created, also after their deletion, without refused batches. */
  created: CreatedBatch[];
  keep(batch: KeptBatch, requests: CreatedBatch['requests']): void;
  find(owner: BatchOwner, id: string): KeptBatch | null;
  /** Returns the batches that a list shows, the latest first. */
  list(owner: BatchOwner): KeptBatch[];
  all(): KeptBatch[];
  lose(id: string): void;
  files: {
    keep(file: KeptFile): void;
    find(account: string, id: string): KeptFile | null;
    all(): KeptFile[];
    lose(id: string): void;
  };
};

/** The API and the account of a request. Other accounts do not see a batch. */
export type BatchOwner = { api: BatchApi; account: string };

export function makeBatchStore(given: Partial<BatchLimits> = {}): BatchStore {
  const limits = { ...BATCH_LIMITS, ...given };
  const batches = new Map<string, KeptBatch>();
  const files = new Map<string, KeptFile>();
  const created: CreatedBatch[] = [];
  const owned =
    ({ api, account }: BatchOwner) =>
    (batch: KeptBatch) =>
      batch.api === api && batch.account === account;
  return {
    limits,
    attempts: makeAttempts(),
    created,
    keep(batch, requests) {
      const { api, id, model, metadata, errors } = batch;
      batches.set(id, batch);
      dropOldest(batches, limits.maxKept);
      if (errors.length === 0) created.push({ api, id, model, metadata, requests });
      created.splice(0, Math.max(0, created.length - limits.maxKept));
    },
    find: (owner, id) => [batches.get(id)].find((batch) => batch && owned(owner)(batch)) ?? null,
    list: (owner) => {
      const listed = batches.values().filter(owned(owner));
      return listed
        .filter(({ listedAt }) => listedAt <= Date.now())
        .toArray()
        .reverse();
    },
    all: () => batches.values().toArray(),
    lose: (id) => void batches.delete(id),
    files: {
      keep(file) {
        files.set(file.id, file);
        dropOldest(files, limits.maxKept);
      },
      find: (account, id) => [files.get(id)].find((file) => file?.account === account) ?? null,
      all: () => files.values().toArray(),
      lose: (id) => void files.delete(id),
    },
  };
}

function dropOldest(kept: Map<string, unknown>, most: number): void {
  for (const id of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(id);
  }
}
