import { claimBatches } from '#core/checkpoint/batches/claim-batches.ts';
import { type BatchDelay, postponeBatch } from '#core/checkpoint/batches/postpone-batch.ts';
import { settleAnswers } from '#core/checkpoint/batches/settle-answers.ts';
import { type TakenBatch, takeBatches } from '#core/checkpoint/batches/take-batches.ts';
import type { WorkerContext } from '../context.ts';
import { newRunId } from '../lease/run.ts';
import { batchAccounts } from './batch-accounts.ts';
import { countLate } from './count-late.ts';
import { BATCH_LEASE_MS, holdBatch } from './hold-batch.ts';
import { workBatch } from './work-batch.ts';

/** The most batches that a worker sends, reads or deletes at the same time. */
const AT_ONCE = 12;

/** The batches to take at a time. A provider with as many in progress gets no more, so others have room. */
const TAKEN_AT_ONCE = 4;
const SETTLED_AT_ONCE = 500;

/** The batches that a worker works on. `tick` starts due work, and `settled` resolves once none is in progress. */
export type BatchLoop = { tick(): Promise<void>; settled(): Promise<void>; close(): Promise<void> };

/**
 * Makes the loop of a worker over batches. A slow upload does not delay the polls of other batches, and a slow
 * provider does not delay others. No turn and no slot is held: a batch is a row, and each of its requests wakes its
 * round.
 */
export function makeBatchLoop(context: WorkerContext): BatchLoop {
  const stopping = new AbortController();
  const running = new Map<Promise<void>, string>();

  async function start(batch: TakenBatch, owner: string): Promise<void> {
    using hold = holdBatch(batch, { owner, stopping: stopping.signal }, context);
    await workBatch(batch, hold, context);
  }

  /** Leaves a batch to other workers if this worker stops. */
  async function release(error: unknown, batch: BatchDelay): Promise<void> {
    if (!stopping.signal.aborted) throw error;
    await postponeBatch(context.db, batch);
  }

  function track(batch: TakenBatch, owner: string): void {
    const work: Promise<void> = start(batch, owner)
      .catch((error: unknown) => release(error, { id: batch.id, owner, delayMs: 0 }))
      .catch((error: unknown) => reportFailure(batch, error, context))
      .finally(() => running.delete(work));
    running.set(work, batch.provider);
  }

  async function take(): Promise<void> {
    const limit = Math.min(TAKEN_AT_ONCE, AT_ONCE - running.size);
    if (limit <= 0 || stopping.signal.aborted) return;
    const owner = newRunId();
    const taking = { owner, limit, leaseMs: BATCH_LEASE_MS, except: busyProviders([...running.values()]) };
    for (const batch of await takeBatches(context.db, taking)) track(batch, owner);
  }

  return {
    tick: async () => {
      // A worker that closes would hold the batches of other workers without any work on them.
      if (stopping.signal.aborted) return;
      await settle(context);
      const { batchTimes, db } = context;
      await claimBatches(db, { accounts: batchAccounts(context.providers), ...batchTimes });
      await take();
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running.keys());
    },
    close: async () => {
      stopping.abort();
      await Promise.all(running.keys());
    },
  };
}

/** Returns the providers with so many batches in progress that they get no more. */
function busyProviders(running: readonly string[]): string[] {
  const busy = running.filter((provider) => running.filter((other) => other === provider).length >= TAKEN_AT_ONCE);
  return [...new Set(busy)];
}

/** Counts answers that no round waits for any more as late usage. */
async function settle(context: WorkerContext): Promise<void> {
  for (let settled = SETTLED_AT_ONCE; settled >= SETTLED_AT_ONCE; ) {
    const late = await settleAnswers(context.db, SETTLED_AT_ONCE);
    countLate(late, context);
    settled = late.length;
  }
}

/** Reports a failure of the work on a batch. The batch is due again once its lease ends. */
function reportFailure({ id, provider }: TakenBatch, error: unknown, { availability, log }: WorkerContext): void {
  availability.suspect(error);
  const about = { event: 'batch.failed', batch_id: id, provider, err: error };
  log.warn(about, 'the work on a batch failed and will be tried again');
}
