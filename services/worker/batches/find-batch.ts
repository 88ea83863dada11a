import { confirmBatch, missBatch } from '#core/checkpoint/batches/confirm-batch.ts';
import { postponeBatch } from '#core/checkpoint/batches/postpone-batch.ts';
import { readRequests } from '#core/checkpoint/batches/read-requests.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { FIRST_POLL_MS } from '#core/turn/batches/next-poll.ts';
import type { WorkerContext } from '../context.ts';
import { type BatchWork, keyOf, REQUEST_MS, requestSignal } from './batch-work.ts';

/** A listing may show a new batch this late. */
const LISTED_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 10_000;

/**
 * Looks for a batch that may exist, since its worker has died or has lost the answer. A listed batch is adopted. A
 * missing batch is sent again only after its request has timed out and no listing can show it later (R42).
 */
export async function findBatch({ batch, hold, server }: BatchWork, context: WorkerContext): Promise<void> {
  const { db, log } = context;
  const { id, provider, model, askedMs } = batch;
  const { owner } = hold;
  const ids = new Set((await readRequests(db, id)).map((request) => request.id));
  const { model: name } = splitModel(model);
  const lost = { key: keyOf(batch), model: name, createdAt: batch.askedAt ?? batch.createdAt, ids };
  const found = await server.find(lost, requestSignal(hold)).catch(() => ({ kind: 'away' }) as const);
  hold.signal.throwIfAborted();
  if (found.kind === 'found') {
    await confirmBatch(db, { id, owner, providerId: found.id, files: [], delayMs: FIRST_POLL_MS });
    log.info({ event: 'batch.adopted', batch_id: id, provider }, `a batch is found at ${provider}`);
    return;
  }
  const isMissing = found.kind === 'missing' && (askedMs ?? 0) > REQUEST_MS + LISTED_WITHIN_MS;
  if (!isMissing) return void (await postponeBatch(db, { id, owner, delayMs: LOOK_AGAIN_MS }));
  await missBatch(db, { id, owner });
  log.warn({ event: 'batch.missing', batch_id: id, provider }, `a batch is not at ${provider}, so it is sent again`);
}
