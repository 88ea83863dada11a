import { removeBatch } from '#core/checkpoint/batches/collect-batch.ts';
import { postponeBatch } from '#core/checkpoint/batches/postpone-batch.ts';
import type { TakenBatch } from '#core/checkpoint/batches/take-batches.ts';
import type { WorkerContext } from '../context.ts';
import { batchProvider } from './batch-accounts.ts';
import { type BatchWork, requestSignal } from './batch-work.ts';
import { findBatch } from './find-batch.ts';
import type { BatchHold } from './hold-batch.ts';
import { pollBatch } from './poll-batch.ts';
import { sendBatch } from './send-batch.ts';

const AWAY_MS = 60_000;

/** Does the next work on a batch by its state: sends, finds, polls or deletes it. This worker holds the batch. */
export async function workBatch(batch: TakenBatch, hold: BatchHold, context: WorkerContext): Promise<void> {
  const found = batchProvider(batch, context.providers);
  if (!found) return await leaveBatch(batch, hold, context);
  const work: BatchWork = { batch, hold, provider: found.provider, server: found.batches };
  switch (batch.state) {
    case 'open':
      return await sendBatch(work, context);
    case 'asked':
      return await findBatch(work, context);
    case 'sent':
      return await pollBatch(work, context);
    case 'collected':
      return await deleteBatch(work, context);
  }
}

const DELETE_AGAIN_MS = 900_000;
const GIVE_UP_MS = 86_400_000;

/** Leaves a batch of a provider that another worker may have, or that the operator has removed. */
async function leaveBatch(
  { id, provider, state, endedMs }: TakenBatch,
  { owner }: BatchHold,
  { db, log }: WorkerContext,
): Promise<void> {
  const isOver = state === 'collected' && (endedMs ?? 0) >= GIVE_UP_MS;
  if (!isOver) return void (await postponeBatch(db, { id, owner, delayMs: AWAY_MS }));
  await removeBatch(db, { id, owner });
  const about = { event: 'batch.left', batch_id: id, provider };
  log.warn(about, `${provider} is not configured, so a batch was not deleted there within a day`);
}

/** Deletes a batch at its provider once all its answers are stored. It is tried for a day (R44). */
async function deleteBatch({ batch, hold, server }: BatchWork, context: WorkerContext): Promise<void> {
  const { db, log } = context;
  const { id, provider, providerId, files, endedMs } = batch;
  const about = { batch_id: id, provider };
  const isGone = await server
    .remove({ id: providerId ?? '', files }, requestSignal(hold))
    .catch(() => hold.signal.throwIfAborted() ?? false);
  if (!isGone && (endedMs ?? 0) < GIVE_UP_MS) {
    await postponeBatch(db, { id, owner: hold.owner, delayMs: DELETE_AGAIN_MS });
    return;
  }
  await removeBatch(db, { id, owner: hold.owner });
  if (isGone) log.debug({ event: 'batch.deleted', ...about }, `a batch is deleted at ${provider}`);
  else
    log.warn({ event: 'batch.left', ...about }, `${provider} did not delete a batch within a day, so it stays there`);
}
