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

/** An error object inside the stream, as the failure it is. */
export function classifyErrorObject(body: unknown, headers: Headers, asked: Asked): ProviderFailed {
  return refusal({ status: undefined, headers, error: body, message: '' }, asked);
}

function refusal({ status: httpStatus, headers, error, message }: ApiError, asked: Asked): ProviderFailed {
  const body = readErrorBody(error);
  const status = httpStatus ?? body.status;
  return nameFailure(codeOfRefusal({ ...body, status }), {
    ...asked,
    status,
    code: body.code ?? body.type,
    requestId: headers?.get('x-request-id') ?? null,
    says: body.message ?? apiErrorMessage(message),
    // Headers inside a stream were sent with its 200 and say nothing about the error that came later.
    afterMs: httpStatus === undefined ? undefined : retryAfterMs(headers),
  });
}
