import type { ProviderFailed } from '../../failure.ts';
import { type ApiError, apiErrorMessage, isApiError } from '../api-error.ts';
import { classifyBreakage } from '../classify-breakage.ts';
import { type Asked, nameFailure } from '../name-failure.ts';
import { retryAfterMs } from '../retry-after.ts';
import { codeOfRefusal } from './code-of-refusal.ts';
import { readErrorBody } from './error-body.ts';

/** Whatever the SDK, the network or the server threw, as the failure it is. Pure: knows the SDK's errors by shape. */
export function classifyFailure(error: unknown, asked: Asked): ProviderFailed {
  if (isApiError(error) && (error.status !== undefined || error.headers)) return refusal(error, asked);
  return classifyBreakage(error, asked);
}

/** An error event inside the stream, as the failure it is: it has the headers of its 200, and no status. */
export function classifyErrorEvent(body: unknown, headers: Headers, asked: Asked): ProviderFailed {
  return refusal({ status: undefined, headers, error: body, message: '' }, asked);
}

function refusal({ status, headers, error, message }: ApiError, asked: Asked): ProviderFailed {
  const body = readErrorBody(error);
  return nameFailure(codeOfRefusal(body, status ?? null), {
    ...asked,
    status: status ?? null,
    code: body.code ?? body.type,
    requestId: headers?.get('request-id') ?? headers?.get('x-request-id') ?? body.requestId,
    says: body.message ?? apiErrorMessage(message),
    afterMs: status === undefined ? undefined : retryAfterMs(headers),
  });
}
