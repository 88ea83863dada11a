import { collectBatch } from '#core/checkpoint/batches/collect-batch.ts';
import { type BatchRequest, readRequests } from '#core/checkpoint/batches/read-requests.ts';
import { refuseBatch } from '#core/checkpoint/batches/refuse-batch.ts';
import { splitBatch } from '#core/checkpoint/batches/split-batch.ts';
import type { ProviderFailed } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import type { RefusedBatch } from '#core/llm/batches/batch-server.ts';
import { nameFailure } from '#core/llm/errors/name-failure.ts';
import type { BatchAnswer } from '#core/turn/batches/batch-answer.ts';
import { LONGEST_BATCH_MS, refusedPauseMs } from '#core/turn/batches/next-poll.ts';
import type { WorkerContext } from '../context.ts';
import { type BatchWork, requestSignal } from './batch-work.ts';
import { refusedAnswer } from './render-line.ts';
import { storeAnswers } from './store-answers.ts';

/** Refusals that every request of the provider gets, so that waiting does not help. */
const PERMANENT = [
  'provider_authentication_failed',
  'provider_permission_denied',
  'provider_model_not_found',
  'quota_exceeded',
];

/**
 * Handles the refusal of a whole batch, which exists no longer or never did.
 * - A request that the provider names gets the refusal as its answer. The other requests are sent again.
 * - A batch that is too large is halved.
 * - A batch with a wrong key or model gives its refusal to all its rounds.
 * - Every other batch waits, up to 48 hours. Its rounds use no attempt.
 *
 * `files` are the files of a batch that was refused after its creation. They are deleted, with the batch, as far as
 * that succeeds at once. The provider deletes the rest after some days.
 */
export async function handleRefusal(
  work: BatchWork,
  refused: RefusedBatch & { files?: string[] },
  context: WorkerContext,
): Promise<void> {
  await settleRefusal(work, refused, context);
  const { batch, hold, server } = work;
  const { files } = refused;
  if (!files || !batch.providerId) return;
  await server.remove({ id: batch.providerId, files }, requestSignal(hold)).catch(() => false);
}

async function settleRefusal(work: BatchWork, refused: RefusedBatch, context: WorkerContext): Promise<void> {
  const { batch, hold } = work;
  const { id, provider } = batch;
  const { failure, isTooLarge, badLine } = refused;
  const { owner } = hold;
  const { db } = context;
  const about = { event: 'batch.refused', batch_id: id, provider, code: failure.code };
  context.log.warn(about, `${provider} has refused a batch: ${failure.message}`);
  const requests = await readRequests(db, id);
  if (badLine && requests.some((request) => request.id === badLine.id)) {
    const { id: badId, status, text } = badLine;
    await storeAnswers([{ id: badId, answer: { kind: 'answered', status, text } }], work, context);
    return await sendAgain(work, { code: failure.code, delayMs: 0 }, context);
  }
  if (isTooLarge && requests.length > 1) return void (await splitBatch(db, { id, owner, newId: newId('batch') }));
  if (isTooLarge) return await answerAll(work, failure.code, { answer: { kind: 'too-large' }, context });
  if (PERMANENT.includes(failure.code))
    return await answerAll(work, failure.code, { answer: refusedAnswer(failure), context });
  if ((batch.refusedMs ?? 0) >= LONGEST_BATCH_MS)
    await giveUp(
      work,
      requests.filter(({ hasDeadline }) => !hasDeadline),
      { answer: refusedForLong(failure, provider), context },
    );
  const delayMs = refusedPauseMs(batch.refusals + 1, afterMsOf(failure));
  await sendAgain(work, { code: failure.code, delayMs }, context);
}

/** Returns the answer of a batch that was refused for the longest time. */
function refusedForLong({ message }: ProviderFailed, provider: string): BatchAnswer {
  return refusedAnswer(nameFailure('provider_rate_limited', { provider, reason: 'for 48 hours', says: message }));
}

function afterMsOf({ retry }: ProviderFailed): number {
  return retry.kind === 'never' ? 0 : (retry.afterMs ?? 0);
}

type Again = { code: string; delayMs: number };

async function sendAgain({ batch, hold }: BatchWork, again: Again, { db }: WorkerContext): Promise<void> {
  await refuseBatch(db, { id: batch.id, owner: hold.owner, ...again });
}

type Given = { answer: BatchAnswer; context: WorkerContext };

/** Gives requests the same answer. */
async function giveUp(work: BatchWork, requests: readonly BatchRequest[], { answer, context }: Given): Promise<void> {
  const answers = requests.map(({ id }) => ({ id, answer }));
  await storeAnswers(answers, work, context);
}

/** Gives all requests of a batch the same answer. No request is left to send. */
async function answerAll(work: BatchWork, code: string, { answer, context }: Given): Promise<void> {
  const { id, state, files } = work.batch;
  const { owner } = work.hold;
  await giveUp(work, await readRequests(context.db, id), { answer, context });
  if (state === 'sent') await collectBatch(context.db, { id, owner, files });
  else await refuseBatch(context.db, { id, owner, code, delayMs: 0 });
}
