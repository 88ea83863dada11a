import type { ProviderFailed } from '../../../failure.ts';
import { isRecord, parseJson } from '../../../json.ts';
import { retryAfterMs } from '../../../retry-after.ts';
import { classifyBreakage } from '../../errors/classify-breakage.ts';
import { codeOfError, codeOfType } from '../../errors/code-of-error.ts';
import { errorInAnswer } from '../../errors/error-in-answer.ts';
import { type Asked, nameFailure, type ProviderCode, plainWords } from '../../errors/name-failure.ts';
import { readError, type SaidError } from '../../errors/read-error.ts';
import { type Ending, endingOf } from '../../errors/reply-of-refusal.ts';
import { meaningOfSigns } from '../../errors/signs.ts';
import { StreamFailed } from './reply-accumulator.ts';

/** A failed call. `hide` redacts the operator's configuration. `hasBegun` is true once a stream was opened. */
type FailedAsk = { asked: Asked; hide: (text: string) => string; hasBegun: boolean };

/**
 * Returns the failure that a package threw or streamed. Packages have their own classes, so their names identify
 * them.
 */
export function classifyError(error: unknown, { asked, hide, hasBegun }: FailedAsk): ProviderFailed {
  const cause = error instanceof StreamFailed ? error.cause : error;
  const said = readPackageError(cause);
  const broken = classifyBreakage(cause, asked);
  if (broken.code === 'provider_bad_response') return broken;
  const meaning = codeOfPackage(said);
  if (meaning) return named(meaning, said, { asked, hide, hasBegun });
  if (broken.code !== 'internal') return broken;
  // Broken connections are handled above. Here a package failed at an unexpected reply.
  if (hasBegun && cause instanceof TypeError) return named('provider_bad_response', said, { asked, hide, hasBegun });
  // A stream that ends in an error was cut. Before the stream, the package itself failed.
  if (said.isRetryable || hasBegun) return named('provider_unavailable', said, { asked, hide, hasBegun });
  return named(isAnswered(cause) ? 'provider_bad_response' : 'internal', said, { asked, hide, hasBegun });
}

/** Returns the ending of a reply that a package reports as an error, or null for an error. */
export function endingOfError(error: unknown): Ending | null {
  return endingOf(readPackageError(error instanceof StreamFailed ? error.cause : error));
}

/** Returns whether the server accepted the request. Then its answer was unreadable. */
function isAnswered(error: unknown): boolean {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null;
  return typeof status === 'number' && status >= 200 && status < 300;
}

function named(code: ProviderCode, said: PackageError, { asked, hide, hasBegun }: FailedAsk): ProviderFailed {
  const { headers } = said;
  return nameFailure(code, {
    ...asked,
    status: said.status,
    code: said.codes[0] ?? null,
    requestId: headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('x-amzn-requestid'),
    ...(said.status === null && said.name ? { reason: said.name } : {}),
    says: said.message === null ? null : hide(said.message),
    param: said.param === null ? null : hide(said.param),
    // A wait in the headers of a stream does not count, since they belong to a 200.
    afterMs: hasBegun ? undefined : retryAfterMs(headers),
  });
}

/** The readable content of an error of any package. */
type PackageError = SaidError & { name: string | null; headers: Pick<Headers, 'get'>; isRetryable: boolean };

function readPackageError(error: unknown): PackageError {
  const fields = isRecord(error) ? error : {};
  const { responseBody: body, responseHeaders, isRetryable } = fields;
  const json = typeof body === 'string' ? parseJson(body) : error;
  // A package passes on an unreadable chunk, which may be an error.
  const said = readError(errorInAnswer(fields.value) ?? json);
  const plain = typeof body === 'string' && json === undefined ? plainWords(body) : null;
  const message = said.message ?? textIn(fields.message) ?? plain;
  // Bedrock names the exception in a header, or before its message.
  const exception = headerIn(responseHeaders, 'x-amzn-errortype') ?? /^(\w+Exception):/.exec(message ?? '')?.[1];
  return {
    ...said,
    name: textIn(fields.name),
    status: statusIn(fields.statusCode) ?? statusIn(fields.status) ?? said.status,
    codes: exception ? [...said.codes, exception] : said.codes,
    message,
    headers: { get: (header) => headerIn(responseHeaders, header) },
    isRetryable: isRetryable === true,
  };
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function statusIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 300 && value <= 599 ? value : null;
}

function headerIn(headers: unknown, name: string): string | null {
  return isRecord(headers) ? textIn(headers[name]) : null;
}

/** Returns the meaning of an error by its words, its class or its status, in this order, or null if unknown. */
function codeOfPackage(said: PackageError): ProviderCode | null {
  const known = meaningOfSigns(said) ?? NAMES.get(said.name ?? '');
  if (known) return known;
  if (said.status === null) return codeOfType(said.codes);
  const byStatus = codeOfError(said);
  return byStatus === 'provider_invalid_request' && said.isRetryable ? 'provider_unavailable' : byStatus;
}

const NAMES = new Map<string, ProviderCode>([
  ['AI_LoadAPIKeyError', 'provider_authentication_failed'],
  ['AI_LoadSettingError', 'provider_authentication_failed'],
  ['AI_NoSuchModelError', 'provider_model_not_found'],
  ['AI_InvalidArgumentError', 'provider_invalid_request'],
  ['AI_InvalidPromptError', 'provider_invalid_request'],
  ['AI_UnsupportedFunctionalityError', 'model_unsupported_feature'],
  ['AI_JSONParseError', 'provider_bad_response'],
  ['AI_TypeValidationError', 'provider_bad_response'],
  ['AI_InvalidResponseDataError', 'provider_bad_response'],
  ['AI_EmptyResponseBodyError', 'provider_bad_response'],
  ['AI_NoContentGeneratedError', 'provider_bad_response'],
]);
