import { messageError } from '../../messages/message-error.ts';
import type { BatchAnswer, BatchCall } from '../batch-request.ts';
import type { BatchStore } from '../batch-store.ts';
import { cancelBatch, cutsRead, hasEnded, type KeptBatch } from '../kept-batch.ts';
import { pageOf } from '../page-of.ts';
import { createMessageBatch } from './create-message-batch.ts';
import { messageBatch, messageResults } from './message-batch.ts';

/** Answers Anthropic's requests about message batches. */
export function answerAnthropic(call: BatchCall, store: BatchStore): BatchAnswer {
  const { act, id, headers } = call.request;
  if (!headers['anthropic-version']) return refuseMessage(400, 'anthropic-version: header is required');
  if (act === 'create') return createMessageBatch(call, store);
  if (act === 'list') return list(call, store);
  const batch = store.find(call.owner, id);
  if (!batch) return refuseMessage(404, `Message batch ${id} not found.`);
  const origin = `http://${headers.host}`;
  switch (act) {
    case 'results':
      return results(batch);
    case 'cancel':
      return cancel(batch, origin);
    case 'delete':
      return remove(batch, store);
    default:
      return { status: 200, body: messageBatch(batch, origin) };
  }
}

function refuseMessage(status: number, message: string): BatchAnswer {
  return { status, body: messageError(status, message) };
}

function results(batch: KeptBatch): BatchAnswer {
  if (!hasEnded(batch)) return refuseMessage(400, `Message batch ${batch.id} has no results yet.`);
  const headers = { 'content-type': 'application/x-jsonl' };
  return { status: 200, body: messageResults(batch), headers, isCut: cutsRead(batch) };
}

/** Cancels a batch. The answer still has its requests in processing. */
function cancel(batch: KeptBatch, origin: string): BatchAnswer {
  if (hasEnded(batch)) return { status: 200, body: messageBatch(batch, origin) };
  const before = messageBatch(batch, origin);
  cancelBatch(batch);
  const cancelled = new Date(batch.cancelledAt ?? 0).toISOString();
  return { status: 200, body: { ...before, processing_status: 'canceling', cancel_initiated_at: cancelled } };
}

function remove(batch: KeptBatch, { lose }: BatchStore): BatchAnswer {
  const { id } = batch;
  if (!hasEnded(batch)) return refuseMessage(400, `Message batch ${id} is in progress. Cancel it before its deletion.`);
  lose(id);
  return { status: 200, body: { id, type: 'message_batch_deleted' } };
}

function list({ request: { query, headers }, owner }: BatchCall, store: BatchStore): BatchAnswer {
  const page = pageOf(store.list(owner), { limit: query.get('limit'), most: 1000, after: query.get('after_id') });
  if (!page) return refuseMessage(400, 'limit: Input should be 1 to 1000, after_id: a batch of the list');
  const data = page.batches.map((batch) => messageBatch(batch, `http://${headers.host}`));
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return { status: 200, body: { data, has_more: page.hasMore, ...ends } };
}
