import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { contentError } from '../../gemini/content-error.ts';
import { ContentsRequest } from '../../gemini/contents-request.ts';
import { contentsProblem, readContents } from '../../gemini/read-contents.ts';
import type { BatchAnswer, BatchCall } from '../batch-request.ts';
import type { BatchStore } from '../batch-store.ts';
import { jsonOf } from '../json-of.ts';
import { keepBatch } from '../keep-batch.ts';
import { planBatch } from '../plan-batch.ts';
import { batchOperation } from './batch-operation.ts';

/** Gemini's limit for a batch with its requests in the body. */
const MOST_BYTES = 20 * 2 ** 20;

const Key = z.strictObject({ key: z.string() });

/** Gemini refuses unknown fields at once, in requests too. */
const NewBatch = z.strictObject({
  batch: z.strictObject({
    displayName: z.string().min(1),
    model: z.string().optional(),
    priority: z.unknown().optional(),
    inputConfig: z.strictObject({
      requests: z.strictObject({
        requests: z.array(z.strictObject({ request: ContentsRequest, metadata: Key.optional() })).min(1),
      }),
    }),
  }),
});

/** Creates a batch of the requests in the body, for the model of the path. */
export function createContentBatch({ request, owner, body }: BatchCall, store: BatchStore): BatchAnswer {
  const { limits } = store;
  const { data: wanted, error } = NewBatch.safeParse(inCamelCase(jsonOf(body)), { reportInput: true });
  const isTooLong = body.length > Math.min(MOST_BYTES, limits.maxBytes);
  if (isTooLong) return refuseBatch(400, 'Request payload size exceeds the limit: 20971520 bytes.');
  if (!wanted) return refuseBatch(400, contentsProblem(error.issues));
  const { displayName, inputConfig } = wanted.batch;
  const lines = inputConfig.requests.requests.map(({ request: sent, metadata }) => ({ id: metadata?.key ?? '', sent }));
  if (lines.length > limits.maxRequests) return refuseBatch(400, 'The batch has too many requests.');
  const other = lines.find(({ sent: { model } }) => model && model.replace(/^models\//, '') !== request.id);
  if (other) return refuseBatch(400, `The model of a request must be models/${request.id}.`);
  const read = (sent: unknown, stamp: Parameters<typeof readContents>[1]) =>
    readContents({ sent, model: request.id, isStream: false }, stamp);
  const plan = planBatch(lines, read, store);
  if (plan.isRefused) return refuseBatch(429, 'You exceeded your current quota of tokens in queued batches.');
  const metadata = { display_name: displayName };
  const id = randomUUID().replaceAll('-', '');
  const kept = keepBatch({ ...owner, id, model: request.id, metadata, lines }, plan, store);
  if (plan.losesAnswer) return refuseBatch(500, 'An internal error has occurred.');
  return { status: 200, body: batchOperation(kept, true) };
}

/** Gemini reads the fields of a batch in both spellings. */
function inCamelCase(sent: unknown): unknown {
  const { batch, ...rest } = Object(sent);
  const { display_name, input_config, ...fields } = Object(batch);
  const named = {
    ...fields,
    ...(display_name !== undefined && { displayName: display_name }),
    ...(input_config !== undefined && { inputConfig: input_config }),
  };
  return batch === undefined ? sent : { ...rest, batch: named };
}

function refuseBatch(status: number, message: string): BatchAnswer {
  return { status, body: contentError(status, message) };
}
