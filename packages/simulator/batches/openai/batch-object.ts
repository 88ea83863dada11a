import { randomUUID } from 'node:crypto';
import type { BatchStore } from '../batch-store.ts';
import { hasEnded, type KeptBatch, type Outcome, resultsOf } from '../kept-batch.ts';
import { newFile } from './upload-file.ts';

const DAY_MS = 86_400_000;

/** Writes the files of results, if a batch has ended: answers, and errors. A file without a line does not exist. */
export function endBatch(batch: KeptBatch, store: BatchStore): KeptBatch {
  if (batch.files || !hasEnded(batch)) return batch;
  const results = resultsOf(batch);
  const keep = (outcomes: Outcome[], name: string) => {
    if (outcomes.length === 0) return null;
    const text = outcomes.map((outcome) => `${JSON.stringify(resultLine(outcome))}\n`).join('');
    const { account, id } = batch;
    const file = newFile({ account, name: `${id}_${name}.jsonl`, purpose: 'batch_output', text, batch: id }, null);
    store.files.keep(file);
    return file.id;
  };
  batch.files = {
    output: keep(results.filter(isAnswer), 'output'),
    error: keep(
      results.filter((outcome) => !isAnswer(outcome)),
      'error',
    ),
  };
  return batch;
}

/** Returns the object that describes a batch as of now. */
export function batchObject(batch: KeptBatch) {
  const { id, source, metadata, outcomes, errors, files, createdAt, endsAt, cancelledAt } = batch;
  const status = statusOf(batch);
  const ended = files ? seconds(endsAt) : null;
  const answers = files ? outcomes.filter(isAnswer).length : 0;
  return {
    id,
    object: 'batch',
    endpoint: source.endpoint,
    errors: errors.length > 0 ? { object: 'list', data: errors } : null,
    input_file_id: source.file,
    completion_window: '24h',
    status,
    output_file_id: files?.output ?? null,
    error_file_id: files?.error ?? null,
    created_at: seconds(createdAt),
    in_progress_at: seconds(createdAt),
    expires_at: seconds(createdAt + DAY_MS),
    finalizing_at: status === 'completed' ? ended : null,
    completed_at: status === 'completed' ? ended : null,
    failed_at: status === 'failed' ? ended : null,
    expired_at: status === 'expired' ? ended : null,
    cancelling_at: cancelledAt && seconds(cancelledAt),
    cancelled_at: status === 'cancelled' ? ended : null,
    request_counts: { total: outcomes.length, completed: answers, failed: files ? outcomes.length - answers : 0 },
    metadata,
  };
}

function statusOf(batch: KeptBatch): string {
  if (batch.errors.length > 0) return 'failed';
  if (!hasEnded(batch)) return 'in_progress';
  if (batch.cancelledAt !== null) return 'cancelled';
  return batch.outcomes.some(({ kind }) => kind === 'expired') ? 'expired' : 'completed';
}

function isAnswer(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status < 400;
}

/** Writes one result. Only a request that was not run has an error of the batch. OpenAI reports its usual tier. */
function resultLine(outcome: Outcome): Record<string, unknown> {
  const id = `batch_req_${randomUUID().replaceAll('-', '')}`;
  if (outcome.kind !== 'answered') {
    return { id, custom_id: outcome.id, response: null, error: outcome.kind === 'expired' ? EXPIRED : CANCELLED };
  }
  const { status, body } = outcome;
  const reported = status < 400 ? { ...Object(body), service_tier: 'default' } : body;
  const response = { status_code: status, request_id: `req_${id}`, body: reported };
  return { id, custom_id: outcome.id, response, error: null };
}

const EXPIRED = {
  code: 'batch_expired',
  message: 'This request could not be executed before the completion window expired.',
};
const CANCELLED = { code: 'batch_cancelled', message: 'This request was cancelled before it was executed.' };

function seconds(at: number): number {
  return Math.floor(at / 1000);
}
