import { contentError } from '../../gemini/content-error.ts';
import { hasEnded, type KeptBatch, type Outcome } from '../kept-batch.ts';

/** Returns the operation of a batch as of now. A new batch never has ended. */
export function batchOperation(batch: KeptBatch, isNew = false) {
  const { id, model, metadata, createdAt, endsAt, outcomes } = batch;
  const isEnded = !isNew && hasEnded(batch);
  const state = isNew ? 'PENDING' : stateOf(batch);
  const output = { inlinedResponses: { inlinedResponses: responsesOf(batch) } };
  const error = isEnded ? ERRORS[state] : undefined;
  const hasResponse = isEnded && !error;
  return {
    name: `batches/${id}`,
    metadata: {
      '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch',
      name: `batches/${id}`,
      model: `models/${model}`,
      displayName: metadata.display_name,
      createTime: timeOf(createdAt),
      updateTime: timeOf(isEnded ? endsAt : createdAt),
      ...(isEnded && { endTime: timeOf(endsAt) }),
      batchStats: statsOf(outcomes, hasResponse),
      state: `BATCH_STATE_${state}`,
      ...(hasResponse && { output }),
    },
    ...(isEnded && { done: true }),
    ...(error && { error }),
    ...(hasResponse && {
      response: {
        '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatchOutput',
        ...output,
      },
    }),
  };
}

/** A batch without all its answers has no results to read. */
const ERRORS: Record<string, { code: number; message: string } | undefined> = {
  CANCELLED: { code: 1, message: 'The batch was cancelled.' },
  EXPIRED: { code: 4, message: 'The batch was not completed in time.' },
};

function stateOf(batch: KeptBatch): string {
  if (!hasEnded(batch)) return 'RUNNING';
  if (batch.cancelledAt !== null) return 'CANCELLED';
  return batch.outcomes.some(({ kind }) => kind === 'expired') ? 'EXPIRED' : 'SUCCEEDED';
}

/** Returns the results in the order of the requests. */
function responsesOf({ outcomes }: KeptBatch): Record<string, unknown>[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.kind !== 'answered') return [];
    const key = outcome.id ? { metadata: { key: outcome.id } } : {};
    const { status, body } = outcome;
    return [status < 400 ? { response: body, ...key } : { error: statusOf(status, body), ...key }];
  });
}

/** Returns an error as a status, which counts the errors of gRPC. */
function statusOf(status: number, body: unknown): { code: number; message: string } {
  const { message } = Object(Object(body).error ?? contentError(status, String(body)).error);
  return { code: CODES[status] ?? (status < 500 ? 3 : 13), message };
}

const CODES: Record<number, number> = { 401: 16, 403: 7, 404: 5, 429: 8, 503: 14, 504: 4 };

/** Counts requests as texts, as Gemini writes long numbers. */
function statsOf(outcomes: Outcome[], isEnded: boolean): Record<string, string> {
  const answers = outcomes.filter((outcome) => outcome.kind === 'answered' && outcome.status < 400).length;
  const total = outcomes.length;
  return {
    requestCount: String(total),
    ...(isEnded
      ? { successfulRequestCount: String(answers), failedRequestCount: String(total - answers) }
      : { pendingRequestCount: String(total) }),
  };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
