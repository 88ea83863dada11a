import type { BatchAnswer } from '../../../turn/batches/batch-answer.ts';
import { type Fields, fieldsIn, textIn } from '../../reply/fields.ts';
import type { BatchApi } from '../batch-api.ts';
import type { BatchResult } from '../batch-server.ts';
import { jsonLines } from '../json-lines.ts';
import { batchPath } from './batch-path.ts';

/** Reads the results of a batch at the server's own address, in any order. */
export async function* readResults(api: BatchApi, id: string, signal: AbortSignal): AsyncGenerator<BatchResult> {
  for await (const line of jsonLines(api.download({ path: `${batchPath(id)}/results`, signal }))) {
    if (line.kind === 'too-large') {
      yield { id: line.id, answer: { kind: 'too-large' } };
      continue;
    }
    const own = textIn(line.fields.custom_id);
    const answer = answerIn(fieldsIn(line.fields.result) ?? {});
    if (own && answer) yield { id: own, answer };
  }
}

function answerIn({ type, message, error }: Fields): BatchAnswer | null {
  if (type === 'succeeded') return { kind: 'answered', status: 200, text: JSON.stringify(message ?? null) };
  if (type === 'expired') return { kind: 'expired' };
  if (type === 'canceled') return { kind: 'cancelled' };
  return type === 'errored' ? { kind: 'answered', status: statusOf(error), text: JSON.stringify(error ?? {}) } : null;
}

/** Returns the status that a single request has with this type of error. */
function statusOf(error: unknown): number {
  const outer = fieldsIn(error) ?? {};
  const type = textIn(fieldsIn(outer.error)?.type) ?? textIn(outer.type) ?? '';
  return STATUSES.get(type) ?? 500;
}

const STATUSES = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);
