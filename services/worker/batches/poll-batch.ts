import { collectBatch } from '#core/checkpoint/batches/collect-batch.ts';
import { markCancelled, postponeBatch } from '#core/checkpoint/batches/postpone-batch.ts';
import { readRequests } from '#core/checkpoint/batches/read-requests.ts';
import { ProviderFailed } from '#core/failure.ts';
import { UnusableReply } from '#core/llm/unusable-reply.ts';
import { LONGEST_BATCH_MS, nextPollMs } from '#core/turn/batches/next-poll.ts';
import type { WorkerContext } from '../context.ts';
import { type BatchWork, requestSignal } from './batch-work.ts';
import { handleRefusal } from './handle-refusal.ts';
import { readResults } from './read-results.ts';
import { storeAnswers } from './store-answers.ts';

const MOST_READS = 5;

/** Asks for the state of a batch, and stores its answers once it has ended. */
export async function pollBatch(work: BatchWork, context: WorkerContext): Promise<void> {
  const { batch, hold, server } = work;
  const { id, sentMs, isAwaited, isCancelled } = batch;
  if (!isAwaited && !isCancelled) await stopBatch(work, 'no round waits for it', context);
  const state = await server.state(batch.providerId ?? '', requestSignal(hold)).catch(() => AWAY);
  hold.signal.throwIfAborted();
  switch (state.kind) {
    case 'ended':
      return await collect(work, state.files, context);
    case 'refused':
      return await handleRefusal(work, state, context);
    case 'lost':
      return await giveUp(work, 'missing', context);
    case 'running':
    case 'away':
      if ((sentMs ?? 0) < LONGEST_BATCH_MS) return await pollLater(work, context);
      if (!isCancelled) await stopBatch(work, 'it has not ended within 48 hours', context);
      context.log.warn({ event: 'batch.expired', batch_id: id }, 'a batch has not ended within 48 hours');
      return await giveUp(work, 'expired', context);
  }
}

const AWAY = { kind: 'away' } as const;

async function pollLater({ batch, hold }: BatchWork, { db }: WorkerContext): Promise<void> {
  const { id, polls } = batch;
  await postponeBatch(db, { id, owner: hold.owner, delayMs: nextPollMs(polls + 1), polls: polls + 1 });
}

/**
 * Asks the provider to stop a batch, without waiting for its end. If the worker dies before the mark, another worker
 * asks again.
 */
async function stopBatch({ batch, hold, server }: BatchWork, because: string, context: WorkerContext): Promise<void> {
  const { id, provider, providerId } = batch;
  await server.cancel(providerId ?? '', requestSignal(hold)).catch(() => hold.signal.throwIfAborted());
  await markCancelled(context.db, { id, owner: hold.owner });
  context.log.info({ event: 'batch.cancelled', batch_id: id }, `a batch is cancelled at ${provider}: ${because}`);
}

/**
 * Reads the results, and stores their answers. A file that lacks answers may be cut, so it is read again. While the
 * provider is away, the results are read again for as long as a batch may take.
 */
async function collect(work: BatchWork, files: string[], context: WorkerContext): Promise<void> {
  const { batch, hold } = work;
  const { id, lostReads, sentMs } = batch;
  const { owner } = hold;
  const isAway = await readAnswers(work, context);
  const missing = (await readRequests(context.db, id)).length;
  if (missing === 0) {
    await collectBatch(context.db, { id, owner, files });
    context.log.info({ event: 'batch.collected', batch_id: id }, 'all answers of a batch are stored');
    return;
  }
  const isOver = lostReads + 1 >= MOST_READS && !(isAway && (sentMs ?? 0) < LONGEST_BATCH_MS);
  if (isOver) return await giveUp({ ...work, batch: { ...batch, files } }, 'missing', context);
  await postponeBatch(context.db, { id, owner, delayMs: nextPollMs(lostReads), lostReads: lostReads + 1 });
}

/** Stores the answers that can be read. Returns whether the read has failed although the results may be there later. */
async function readAnswers(work: BatchWork, context: WorkerContext): Promise<boolean> {
  const { batch, hold } = work;
  const { id } = batch;
  const waiting = (await readRequests(context.db, id)).map((request) => request.id);
  try {
    await readResults(work, waiting, context);
    return false;
  } catch (error) {
    hold.signal.throwIfAborted();
    const about = { event: 'batch.cut', batch_id: id, err: error };
    context.log.warn(about, 'the results of a batch could not be read whole');
    return mayReadLater(error);
  }
}

/** Failures that the operator can end. Until then the provider keeps the results. */
const UNAUTHORIZED = ['provider_authentication_failed', 'provider_permission_denied', 'quota_exceeded'];

/** Returns whether the results may be there after a failed read: the provider, the network or PostgreSQL is away. */
function mayReadLater(error: unknown): boolean {
  if (error instanceof UnusableReply) return false;
  return !(error instanceof ProviderFailed) || error.retry.kind !== 'never' || UNAUTHORIZED.includes(error.code);
}

/** Gives all requests without an answer the same answer, so that their rounds try again. */
async function giveUp(work: BatchWork, kind: 'missing' | 'expired', context: WorkerContext): Promise<void> {
  const { id, files } = work.batch;
  const left = await readRequests(context.db, id);
  const answers = left.map((request) => ({ id: request.id, answer: { kind } }));
  await storeAnswers(answers, work, context);
  await collectBatch(context.db, { id, owner: work.hold.owner, files });
}
