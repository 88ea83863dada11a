import type { ProviderFailed } from '../../failure.ts';
import { type FailedCall, nameFailure } from '../name-failure.ts';
import { isNetworkTimeout, networkCode } from '../network-code.ts';
import { retryAfterMs } from '../retry-after.ts';
import { codeOfRefusal } from './code-of-refusal.ts';
import { readErrorBody } from './error-body.ts';

/** Whom a failure speaks of, and the key that must not show in it. */
export type Asked = Pick<FailedCall, 'provider' | 'model' | 'apiKey' | 'keyName'>;

/** Whatever the SDK, the network or the server threw, as the failure it is. Pure: knows the SDK's errors by shape. */
export function classifyFailure(error: unknown, asked: Asked): ProviderFailed {
  if (isApiError(error) && (error.status !== undefined || error.headers)) return refusal(error, asked);

  const network = networkCode(error);
  if (network) {
    const code = isNetworkTimeout(network) || isTimeout(error) ? 'provider_timeout' : 'provider_unavailable';
    return nameFailure(code, { ...asked, reason: network });
  }
  if (isTimeout(error)) return nameFailure('provider_timeout', asked);
  if (isApiError(error)) return nameFailure('provider_unavailable', { ...asked, says: error.message });
  if (error instanceof SyntaxError) return nameFailure('provider_bad_response', { ...asked, reason: 'broken JSON' });
  return nameFailure('internal', { ...asked, reason: error instanceof Error ? error.name : typeof error });
}

/** An error object inside the stream, as the failure it is. */
export function classifyErrorObject(body: unknown, asked: Asked): ProviderFailed {
  return refusal({ status: undefined, headers: undefined, error: body, message: '' }, asked);
}

type ApiError = { status: number | undefined; headers: Headers | undefined; error: unknown; message: string };

function isApiError(error: unknown): error is Error & ApiError {
  return error instanceof Error && 'status' in error && 'headers' in error && 'error' in error;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timed? ?out/i.test(error.message);
}

function refusal({ status: httpStatus, headers, error, message }: ApiError, asked: Asked): ProviderFailed {
  const body = readErrorBody(error);
  const status = httpStatus ?? body.status;
  return nameFailure(codeOfRefusal({ ...body, status }), {
    ...asked,
    status,
    code: body.code ?? body.type,
    requestId: headers?.get('x-request-id') ?? null,
    says: body.message ?? plainMessage(message),
    // Headers inside a stream were sent with its 200 and say nothing about the error that came later.
    afterMs: httpStatus === undefined ? undefined : retryAfterMs(headers),
  });
}

/** A page of HTML from a gateway tells a caller nothing. */
function plainMessage(message: string): string | null {
  const text = message.replace(/^\d{3} /, '');
  return !text || text.trimStart().startsWith('<') || text.startsWith('status code (no body)') ? null : text;
}
