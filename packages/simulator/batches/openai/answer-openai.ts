import { refuse } from '../../error-body.ts';
import type { BatchAnswer, BatchCall } from '../batch-request.ts';
import type { BatchStore } from '../batch-store.ts';
import { cancelBatch, cutsRead } from '../kept-batch.ts';
import { pageOf } from '../page-of.ts';
import { batchObject, endBatch } from './batch-object.ts';
import { createBatch } from './create-batch.ts';
import { fileObject, uploadFile } from './upload-file.ts';

/** Answers OpenAI's requests about batches and their files. */
export function answerOpenai(call: BatchCall, store: BatchStore): BatchAnswer | Promise<BatchAnswer> {
  switch (call.request.act) {
    case 'upload':
      return uploadFile(call, store);
    case 'file':
    case 'results':
    case 'delete':
      return answerFile(call, store);
    case 'create':
      return createBatch(call, store);
    case 'list':
      return list(call, store);
    case 'read':
    case 'cancel':
      return answerBatch(call, store);
  }
}

function answerFile({ request: { act, id }, owner }: BatchCall, { files, all }: BatchStore): BatchAnswer {
  const file = files.find(owner.account, id);
  if (!file) return refuse({ code: null, message: `No such File object: ${id}`, param: 'id', status: 404 });
  if (act === 'file') return { status: 200, body: fileObject(file) };
  if (act === 'delete') {
    files.lose(id);
    return { status: 200, body: { id, object: 'file', deleted: true } };
  }
  const batch = all().find((kept) => kept.id === file.batch);
  const isCut = batch !== undefined && cutsRead(batch);
  return { status: 200, body: file.text, headers: { 'content-type': 'application/octet-stream' }, isCut };
}

function answerBatch({ request: { act, id }, owner }: BatchCall, store: BatchStore): BatchAnswer {
  const batch = store.find(owner, id);
  if (!batch) return refuse({ code: null, message: `No batch found with id '${id}'.`, param: null, status: 404 });
  if (act === 'read') return { status: 200, body: batchObject(endBatch(batch, store)) };
  const { status } = batchObject(endBatch(batch, store));
  if (status !== 'in_progress') {
    return refuse({ code: null, message: `Cannot cancel a batch with status '${status}'.`, param: null, status: 409 });
  }
  cancelBatch(batch);
  return { status: 200, body: { ...batchObject(batch), status: 'cancelling' } };
}

function list({ request: { query }, owner }: BatchCall, store: BatchStore): BatchAnswer {
  const page = pageOf(store.list(owner), { limit: query.get('limit'), most: 100, after: query.get('after') });
  if (!page) return refuse({ code: 'invalid_value', message: 'Invalid page of batches.', param: 'limit' });
  const data = page.batches.map((batch) => batchObject(endBatch(batch, store)));
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return { status: 200, body: { object: 'list', data, ...ends, has_more: page.hasMore } };
}
