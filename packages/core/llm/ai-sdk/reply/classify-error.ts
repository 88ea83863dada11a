import type { ProviderFailed } from '../../../failure.ts';
import { isRecord, parseJson } from '../../../json.ts';
import { retryAfterMs } from '../../../retry-after.ts';
import { classifyBreakage } from '../../errors/classify-breakage.ts';
import { codeOfStatus } from '../../errors/code-of-status.ts';
import { type Asked, nameFailure, type ProviderCode, plainWords } from '../../errors/name-failure.ts';
import { StreamFailed } from './reply-accumulator.ts';

/** A call that failed: `hide` makes what the operator configured unreadable, `hasBegun` is true once a stream was opened. */
type FailedAsk = { asked: Asked; hide: (text: string) => string; hasBegun: boolean };

/**
 * What a package threw, or put into its stream, as the failure it is. Classes of the AI SDK are known by their names, since
 * each package brings its own.
 */
export function classifyError(error: unknown, { asked, hide, hasBegun }: FailedAsk): ProviderFailed {
  const cause = error instanceof StreamFailed ? error.cause : error;
  const said = readError(cause);
  const broken = classifyBreakage(cause, asked);
  if (broken.code === 'provider_bad_response') return broken;
  const meaning = meaningOf(said);
  if (meaning) return named(meaning, said, { asked, hide, hasBegun });
  if (broken.code !== 'internal') return broken;
  // A connection that broke is known by now: a package stumbles over what it did not expect in the reply.
  if (hasBegun && cause instanceof TypeError) return named('provider_bad_response', said, { asked, hide, hasBegun });
  // A stream that ends in an error of any kind has broken off; before it, the package itself has failed.
  if (said.isRetryable || hasBegun) return named('provider_unavailable', said, { asked, hide, hasBegun });
  return named(isAnswered(cause) ? 'provider_bad_response' : 'internal', said, { asked, hide, hasBegun });
}

/** Whether the server had accepted the request: then its answer could not be read. */
function isAnswered(error: unknown): boolean {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null;
  return typeof status === 'number' && status >= 200 && status < 300;
}

function named(code: ProviderCode, said: SaidError, { asked, hide, hasBegun }: FailedAsk): ProviderFailed {
  const { headers } = said;
  return nameFailure(code, {
    ...asked,
    status: said.status,
    code: said.code,
    requestId: headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('x-amzn-requestid'),
    ...(said.status === null && said.name ? { reason: said.name } : {}),
    says: said.message === null ? null : hide(said.message),
    // The headers of a stream came with a 200: no wait in them counts.
    afterMs: hasBegun ? undefined : retryAfterMs(headers),
  });
}

/** What can be read from an error, whichever package made it. */
type SaidError = {
  name: string | null;
  status: number | null;
  code: string | null;
  message: string | null;
  headers: Pick<Headers, 'get'>;
  isRetryable: boolean;
};

function readError(error: unknown): SaidError {
  if (typeof error === 'string') return { ...NOTHING, message: error };
  if (!(error instanceof Error) && !isRecord(error)) return NOTHING;
  const { name, statusCode, status, message, responseBody, responseHeaders, isRetryable } = error as ErrorFields;
  const body = typeof responseBody === 'string' ? parseJson(responseBody) : error;
  const inner = isRecord(body) && isRecord(body.error) ? body.error : isRecord(body) ? body : {};
  const plain = typeof responseBody === 'string' && body === undefined ? plainWords(responseBody) : null;
  return {
    name: textIn(name),
    status: statusIn(statusCode, 300) ?? statusIn(status) ?? statusIn(inner.status) ?? statusIn(inner.code),
    code: textIn(inner.code) ?? textIn(inner.type) ?? headerIn(responseHeaders, 'x-amzn-errortype'),
    message: textIn(inner.message) ?? textIn(message) ?? plain,
    headers: { get: (header) => headerIn(responseHeaders, header) },
    isRetryable: isRetryable === true,
  };
}

const NOTHING: SaidError = {
  name: null,
  status: null,
  code: null,
  message: null,
  headers: { get: () => null },
  isRetryable: false,
};

type ErrorFields = Record<
  'name' | 'statusCode' | 'status' | 'message' | 'responseBody' | 'responseHeaders' | 'isRetryable',
  unknown
>;

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function statusIn(value: unknown, least = 400): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= 599 ? value : null;
}

function headerIn(headers: unknown, name: string): string | null {
  return isRecord(headers) ? textIn(headers[name]) : null;
}

/** What an error means by its words, its class and its status, in this order; null where none of them says it. */
function meaningOf(said: SaidError): ProviderCode | null {
  const { status, name } = said;
  const words = `${said.code ?? ''} ${said.message ?? ''}`;
  const sign = SIGNS.find(({ at, text }) => at(status) && text.test(words));
  if (sign) return sign.means;
  const byName = NAMES.get(name ?? '');
  if (byName) return byName;
  if (status === null) return null;
  const byStatus = codeOfStatus(status);
  return byStatus === 'provider_invalid_request' && said.isRetryable ? 'provider_unavailable' : byStatus;
}

const NAMES = new Map<string, ProviderCode>([
  ['AI_LoadAPIKeyError', 'provider_authentication_failed'],
  ['AI_LoadSettingError', 'provider_authentication_failed'],
  ['AI_NoSuchModelError', 'provider_model_not_found'],
  ['AI_InvalidArgumentError', 'provider_invalid_request'],
  ['AI_InvalidPromptError', 'provider_invalid_request'],
  ['AI_UnsupportedFunctionalityError', 'provider_invalid_request'],
  ['AI_JSONParseError', 'provider_bad_response'],
  ['AI_TypeValidationError', 'provider_bad_response'],
  ['AI_InvalidResponseDataError', 'provider_bad_response'],
  ['AI_EmptyResponseBodyError', 'provider_bad_response'],
  ['AI_NoContentGeneratedError', 'provider_bad_response'],
]);

type Sign = { means: ProviderCode; at: (status: number | null) => boolean; text: RegExp };

/** Of the statuses that blame the request, those that time does not mend. */
const aboutRequest = (status: number | null) =>
  status === null || (status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status));
const withoutStatus = (status: number | null) => status === null;
const anywhere = () => true;

const SIGNS: Sign[] = [
  {
    means: 'quota_exceeded',
    at: anywhere,
    text: /insufficient_(quota|credits?|balance)|insufficient (balance|credits?|funds)|credit balance is too low|billing_/i,
  },
  {
    means: 'context_length_exceeded',
    at: aboutRequest,
    text: /context_length_exceeded|context (length|window|size)|(prompt|input) is too long|too many (input )?tokens|exceeds? the context|input token count .* exceeds/i,
  },
  {
    means: 'provider_authentication_failed',
    at: aboutRequest,
    text: /(incorrect|invalid|missing) api key|invalid_api_key|authentication_error|security token .* (invalid|expired)|UnrecognizedClient|ExpiredToken|InvalidSignature|SignatureDoesNotMatch|AWS credentials|default credentials/i,
  },
  {
    means: 'provider_model_not_found',
    at: aboutRequest,
    text: /model_not_found|model identifier is invalid|model .{0,120}(does not exist|not found)|DeploymentNotFound|invalid_model/i,
  },
  { means: 'provider_overloaded', at: (status) => status === null || status >= 500, text: /overloaded|over capacity/i },
  { means: 'provider_rate_limited', at: withoutStatus, text: /rate_?limit|throttl/i },
  { means: 'provider_invalid_request', at: withoutStatus, text: /invalid_request|bad_request|validationException/i },
];
