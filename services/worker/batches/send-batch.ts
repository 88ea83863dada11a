import { askBatch } from '#core/checkpoint/batches/ask-batch.ts';
import { removeBatch } from '#core/checkpoint/batches/collect-batch.ts';
import { confirmBatch } from '#core/checkpoint/batches/confirm-batch.ts';
import { postponeBatch } from '#core/checkpoint/batches/postpone-batch.ts';
import { type BatchRequest, readRequests } from '#core/checkpoint/batches/read-requests.ts';
import type { SentBatch } from '#core/llm/batches/batch-server.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { FIRST_POLL_MS } from '#core/turn/batches/next-poll.ts';
import type { WorkerContext } from '../context.ts';
import { elapsedMs, startStopwatch } from '../lease/stopwatch.ts';
import { type BatchWork, keyOf, openPatience, type Patience } from './batch-work.ts';
import { handleRefusal } from './handle-refusal.ts';
import { renderLine } from './render-line.ts';
import { storeAnswers } from './store-answers.ts';

const UNSENT_AGAIN_MS = 30_000;
const FIND_AFTER_MS = 2_000;

/** No request is left in the batch. */
class NoRequests extends Error {}

/** Another worker has the batch, or another batch of the account is unconfirmed. */
class NotHeld extends Error {}

/**
 * Sends a batch once. The lines are rendered while they are uploaded. The list of requests is committed before the
 * batch can exist at its provider (R42). After a lost answer the batch is looked for.
 */
export async function sendBatch(work: BatchWork, context: WorkerContext): Promise<void> {
  const { batch, hold, server } = work;
  const { id, model } = batch;
  const { owner } = hold;
  const requests = await readRequests(context.db, id);
  if (requests.length === 0) return void (await removeBatch(context.db, { id, owner }));
  const lines = openLines(work, requests, context);
  using patience = openPatience(hold);
  let isAsked = false;
  const commit = async () => {
    const asked = startStopwatch();
    await commitLines(work, lines, context);
    isAsked = true;
    patience.renew(elapsedMs(asked));
  };
  try {
    const { model: name } = splitModel(model);
    const sent = await server.send({ key: keyOf(batch), model: name }, renewing(lines.bytes(), patience), {
      commit,
      signal: patience.signal,
    });
    await takeSent(work, sent, context);
  } catch (error) {
    await leaveUnsent(work, { error, isAsked, isLeft: lines.left.length > 0 }, context);
  }
}

async function takeSent(work: BatchWork, sent: SentBatch, context: WorkerContext): Promise<void> {
  const { batch, hold } = work;
  const { id, provider } = batch;
  if (sent.kind === 'refused') return await handleRefusal(work, sent, context);
  const { owner } = hold;
  const confirmed = { id, owner, providerId: sent.id, files: sent.files, delayMs: FIRST_POLL_MS };
  if (!(await confirmBatch(context.db, confirmed))) return;
  context.log.info({ event: 'batch.sent', batch_id: id, provider }, `a batch is sent to ${provider}`);
}

type Failed = { error: unknown; isAsked: boolean; isLeft: boolean };

/** Leaves a batch without an answer. Before the commit the batch cannot exist, and is sent again later. */
async function leaveUnsent({ batch, hold }: BatchWork, { error, isAsked, isLeft }: Failed, context: WorkerContext) {
  const { id, provider } = batch;
  const { owner } = hold;
  hold.signal.throwIfAborted();
  if (error instanceof NotHeld) return void (await postponeBatch(context.db, { id, owner, delayMs: UNSENT_AGAIN_MS }));
  if (error instanceof NoRequests && !isLeft) return void (await removeBatch(context.db, { id, owner }));
  const about = { event: 'batch.unsent', batch_id: id, provider, err: error };
  context.log.warn(about, isAsked ? 'the answer to a batch is lost, so it is looked for' : 'a batch could not be sent');
  await postponeBatch(context.db, { id, owner, delayMs: isAsked ? FIND_AFTER_MS : UNSENT_AGAIN_MS });
}

/** The lines of a batch: those that were sent, and those that are left for another batch. */
type Lines = { bytes(): AsyncGenerator<Uint8Array>; sent: string[]; left: string[] };

/** Renders the requests of a batch in sequence, up to the limit of its server. */
function openLines(work: BatchWork, requests: readonly BatchRequest[], context: WorkerContext): Lines {
  const sent: string[] = [];
  const left: string[] = [];
  let bytes = 0;
  let isFull = false;
  async function* render() {
    for (const request of requests) {
      const line = isFull ? ({ kind: 'left' } as const) : await renderLine(request, context);
      if (line.kind === 'left') left.push(request.id);
      if (line.kind === 'failed') await storeAnswers([{ id: request.id, answer: line.answer }], work, context);
      if (line.kind === 'line') yield* take(request, work.server.lineOf({ id: request.id, body: line.body }));
    }
  }
  const most = Math.min(MOST_BYTES, work.server.limits.bytes);
  async function* take({ id }: BatchRequest, line: Uint8Array) {
    if (line.byteLength > most)
      return void (await storeAnswers([{ id, answer: { kind: 'too-large' } }], work, context));
    // The rest is not rendered, since each history would be loaded again for the next batch.
    isFull = bytes + line.byteLength > most;
    if (isFull) return void left.push(id);
    bytes += line.byteLength;
    sent.push(id);
    yield line;
  }
  return { bytes: render, sent, left };
}

/** The most bytes of the lines of one batch. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Commits the requests of a batch. From then on the batch may exist. */
async function commitLines({ batch, hold }: BatchWork, { sent, left }: Lines, context: WorkerContext): Promise<void> {
  hold.signal.throwIfAborted();
  const { id } = batch;
  if (sent.length === 0) throw new NoRequests();
  const isAsked = await askBatch(context.db, { id, owner: hold.owner, sent, left });
  if (!isAsked) throw new NotHeld();
}

/** Yields lines, and notes each as progress: the server has taken the lines before it. */
async function* renewing(lines: AsyncIterable<Uint8Array>, patience: Patience): AsyncGenerator<Uint8Array> {
  for await (const line of lines) {
    patience.renew();
    yield line;
  }
  patience.renew();
}
