import { renewBatch } from '#core/checkpoint/batches/postpone-batch.ts';
import type { TakenBatch } from '#core/checkpoint/batches/take-batches.ts';
import type { WorkerContext } from '../context.ts';

/** The time for which a worker has a batch to itself after each renewal. */
export const BATCH_LEASE_MS = 20_000;
const RENEW_EVERY_MS = 5_000;

/** The right of a worker to a batch. `signal` aborts once another worker has it, or when the worker stops. */
export type BatchHold = { owner: string; signal: AbortSignal };

type Owner = { owner: string; stopping: AbortSignal };

/** Holds a batch until disposed. A renewal that fails is repeated until the lease ends. */
export function holdBatch(
  { id }: Pick<TakenBatch, 'id'>,
  { owner, stopping }: Owner,
  { db, availability }: Pick<WorkerContext, 'db' | 'availability'>,
): BatchHold & Disposable {
  const lost = new AbortController();
  const renew = async () => {
    const isHeld = await renewBatch(db, { id, owner, leaseMs: BATCH_LEASE_MS });
    if (!isHeld) lost.abort();
  };
  const timer = setInterval(() => void renew().catch((error: unknown) => availability.suspect(error)), RENEW_EVERY_MS);
  return {
    owner,
    signal: AbortSignal.any([lost.signal, stopping]),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
