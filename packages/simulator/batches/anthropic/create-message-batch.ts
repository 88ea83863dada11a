import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { messageError } from '../../messages/message-error.ts';
import { messageProblem, readMessages } from '../../messages/read-messages.ts';
import type { BatchAnswer, BatchCall } from '../batch-request.ts';
import type { BatchStore } from '../batch-store.ts';
import { jsonOf } from '../json-of.ts';
import { keepBatch } from '../keep-batch.ts';
import { planBatch } from '../plan-batch.ts';
import { messageBatch } from './message-batch.ts';

/** Anthropic's limits for a batch. */
const MOST_REQUESTS = 100_000;
const MOST_BYTES = 256 * 2 ** 20;

/** Anthropic checks these fields at once, and all other fields of `params` when it runs the request. */
const NewBatch = z.strictObject({
  requests: z
    .array(
      z.strictObject({
        custom_id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'"),
        params: z.looseObject({
          model: z.string(),
          max_tokens: z.int(),
          messages: z.array(z.unknown()).min(1),
          stream: z.literal(false, 'Streaming is not supported in batches').optional(),
        }),
      }),
    )
    .min(1),
});

/** Creates a batch of the requests in the body. */
export function createMessageBatch({ request, owner, body }: BatchCall, store: BatchStore): BatchAnswer {
  const { limits } = store;
  const { data: wanted, error } = NewBatch.safeParse(jsonOf(body), { reportInput: true });
  const isTooLong = body.length > Math.min(MOST_BYTES, limits.maxBytes);
  if (isTooLong) return refuseBatch(413, 'Request exceeds the maximum allowed number of bytes.');
  if (!wanted) return refuseBatch(400, messageProblem(error.issues));
  const lines = wanted.requests.map(({ custom_id: id, params }) => ({ id, sent: params }));
  if (lines.length > Math.min(MOST_REQUESTS, limits.maxRequests)) {
    return refuseBatch(413, 'requests: Batch has too many requests');
  }
  const repeated = repeatedId(lines);
  if (repeated) return refuseBatch(400, `requests: custom_id must be unique, but ${repeated} is a duplicate`);
  const plan = planBatch(lines, readMessages, store);
  if (plan.isRefused)
    return refuseBatch(429, 'Your batch queue is full. Please try again once some batches have ended.');
  const id = `msgbatch_${randomUUID().replaceAll('-', '')}`;
  const kept = keepBatch(
    { ...owner, id, model: wanted.requests[0]?.params.model ?? '', metadata: {}, lines },
    plan,
    store,
  );
  if (plan.losesAnswer) return refuseBatch(500, 'Internal server error');
  return { status: 200, body: messageBatch(kept, `http://${request.headers.host}`, true) };
}

function repeatedId(lines: { id: string }[]): string | undefined {
  const seen = new Set<string>();
  return lines.find(({ id }) => seen.size === seen.add(id).size)?.id;
}

function refuseBatch(status: number, message: string): BatchAnswer {
  return { status, body: messageError(status, message) };
}
