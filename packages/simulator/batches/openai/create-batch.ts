import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readChat } from '../../chat/read-chat.ts';
import { errorBody, innermostIssue, refuse } from '../../error-body.ts';
import { readResponses } from '../../responses/read-responses.ts';
import type { BatchAnswer, BatchCall } from '../batch-request.ts';
import type { BatchStore } from '../batch-store.ts';
import { jsonOf } from '../json-of.ts';
import { keepBatch } from '../keep-batch.ts';
import type { BatchError } from '../kept-batch.ts';
import { planBatch } from '../plan-batch.ts';
import { batchObject } from './batch-object.ts';
import { readBatchFile } from './read-batch-file.ts';

const WIRES = { '/v1/chat/completions': readChat, '/v1/responses': readResponses };

const NewBatch = z.strictObject({
  input_file_id: z.string(),
  endpoint: z.enum(['/v1/chat/completions', '/v1/responses']),
  completion_window: z.literal('24h'),
  metadata: z
    .record(z.string().max(64), z.string().max(512))
    .refine((metadata) => Object.keys(metadata).length <= 16)
    .nullish(),
  output_expires_after: z
    .strictObject({ anchor: z.literal('created_at'), seconds: z.int().min(3600).max(2_592_000) })
    .optional(),
});

/** Creates a batch of an uploaded file. OpenAI validates the lines later, so a batch with bad lines fails. */
export function createBatch({ owner, body }: BatchCall, store: BatchStore): BatchAnswer {
  const { data: wanted, error } = NewBatch.safeParse(jsonOf(body));
  if (!wanted) {
    const issue = innermostIssue(error.issues[0]);
    const param = z.core.toDotPath(issue?.path ?? []);
    return refuse({ code: 'invalid_value', message: `Invalid '${param}'. ${issue?.message}.`, param });
  }
  const { endpoint, input_file_id: file, metadata } = wanted;
  const text = store.files.find(owner.account, file)?.text;
  if (text === undefined) {
    return refuse({ code: 'invalid_request', message: `No such File object: ${file}`, param: 'input_file_id' });
  }
  const { lines, model, errors } = readBatchFile(text, { endpoint, most: store.limits.maxRequests });
  const plan = planBatch(lines, (sent, stamp) => WIRES[endpoint](sent, stamp), store);
  const kept = keepBatch(
    {
      ...{ ...owner, id: `batch_${randomUUID().replaceAll('-', '')}`, model, metadata: metadata ?? {}, lines },
      source: { endpoint, file },
      errors: errors.length > 0 || !plan.isRefused ? errors : [queueIsFull(model)],
    },
    plan,
    store,
  );
  if (plan.losesAnswer) return { status: 500, body: errorBody(500) };
  return { status: 200, body: { ...batchObject(kept), ...VALIDATING } };
}

/** The state of a new batch, before its lines are checked. */
const VALIDATING = { status: 'validating', errors: null, request_counts: { total: 0, completed: 0, failed: 0 } };

function queueIsFull(model: string): BatchError {
  const limit = `Enqueued token limit reached for ${model} in organization org-simulator. Limit: 90,000 enqueued tokens.`;
  const message = `${limit} Please try again once some in_progress batches have been completed.`;
  return { code: 'token_limit_exceeded', line: null, message, param: null };
}
