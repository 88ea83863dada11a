import { contentError } from '../../gemini/content-error.ts';
import type { BatchAnswer, BatchCall } from '../batch-request.ts';
import type { BatchStore } from '../batch-store.ts';
import { cancelBatch, cutsRead, hasEnded } from '../kept-batch.ts';
import { pageOf } from '../page-of.ts';
import { batchOperation } from './batch-operation.ts';
import { createContentBatch } from './create-content-batch.ts';

/** Answers Gemini's requests about batches. */
export function answerGemini(call: BatchCall, store: BatchStore): BatchAnswer {
  const { act, id } = call.request;
  if (act === 'create') return createContentBatch(call, store);
  if (act === 'list') return list(call, store);
  const batch = store.find(call.owner, id);
  if (!batch) return { status: 404, body: contentError(404, `Requested entity batches/${id} was not found.`) };
  switch (act) {
    case 'cancel':
      cancelBatch(batch);
      return { status: 200, body: {} };
    case 'delete':
      store.lose(id);
      return { status: 200, body: {} };
    default:
      return { status: 200, body: batchOperation(batch), isCut: hasEnded(batch) && cutsRead(batch) };
  }
}

/** Lists operations without their results, which only a read has. A page's token is the last batch before the page. */
function list({ request: { query }, owner }: BatchCall, store: BatchStore): BatchAnswer {
  const given = { limit: query.get('pageSize'), most: 1000, after: query.get('pageToken') };
  const page = pageOf(store.list(owner), given);
  if (!page) return { status: 400, body: contentError(400, 'Request contains an invalid argument.') };
  const operations = page.batches.map((batch) => {
    const { response: _response, ...operation } = batchOperation(batch);
    return operation;
  });
  const next = page.hasMore ? { nextPageToken: page.batches.at(-1)?.id } : {};
  return { status: 200, body: { operations, ...next } };
}
