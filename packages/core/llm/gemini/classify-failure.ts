import type { ProviderFailed } from '../../failure.ts';
import { classifyBreakage } from '../classify-breakage.ts';
import { type Asked, nameFailure } from '../name-failure.ts';
import { retryAfterMs } from '../retry-after.ts';
import { codeOfRefusal } from './code-of-refusal.ts';
import { readErrorBody } from './error-body.ts';
import type { Heard } from './listen.ts';

/**
 * Whatever ended a call without a reply, as the failure it is. What the wire itself said decides; the SDK keeps no
 * headers and hides some errors. Pure.
 */
export function classifyFailure(error: unknown, heard: Heard, asked: Asked): ProviderFailed {
  if (heard.error !== null) return classifyError(heard, asked);
  return classifyBreakage(error, asked);
}

function classifyError({ error, status: httpStatus, headers }: Heard, asked: Asked): ProviderFailed {
  const body = readErrorBody(error);
  // An error inside a stream came after a 2xx, whose status and headers say nothing about it.
  const isRefusal = httpStatus !== null && (httpStatus < 200 || httpStatus > 299);
  const status = isRefusal ? httpStatus : body.status;
  return nameFailure(codeOfRefusal({ ...body, status }), {
    ...asked,
    status,
    code: body.reason ?? body.word,
    requestId: headers?.get('x-request-id') ?? headers?.get('x-goog-request-id') ?? body.requestId,
    says: body.message,
    afterMs: body.retryMs ?? (isRefusal ? retryAfterMs(headers) : undefined),
  });
}
