import { z } from 'zod';
import type { ProviderFailed } from '../../failure.ts';
import { parseJson } from '../../json.ts';
import { retryAfterMs } from '../../retry-after.ts';
import { codeOfStatus } from '../errors/code-of-status.ts';
import { type Asked, nameFailure, type ProviderCode } from '../errors/name-failure.ts';
import type { AnswerHeaders } from '../http/http-client.ts';
import type { Refusal } from '../http/open-reply.ts';

/** A refused request, as the failure it is. */
export function classifyRefusal({ status, headers, text }: Refusal, asked: Asked): ProviderFailed {
  const body = readErrorBody(parseJson(text));
  return failureOf({ ...body, status, retryMs: body.retryMs ?? retryAfterMs(headers) }, headers, asked);
}

/** An error object inside the stream, as the failure it is. Its headers came with a 200: no wait in them counts. */
export function classifyErrorObject(error: unknown, headers: AnswerHeaders, asked: Asked): ProviderFailed {
  return failureOf(readErrorBody(error), headers, asked);
}

function failureOf(body: ErrorBody, headers: AnswerHeaders, asked: Asked): ProviderFailed {
  return nameFailure(codeOfRefusal(body), {
    ...asked,
    status: body.status,
    code: body.reason ?? body.word,
    requestId: headers.get('x-request-id') ?? headers.get('x-goog-request-id') ?? body.requestId,
    says: body.message,
    afterMs: body.retryMs,
  });
}

const text = z.string().nullish().catch(null);

const Detail = z.object({
  '@type': text,
  reason: text,
  retryDelay: text,
  requestId: text,
  violations: z
    .array(z.object({ quotaId: text, quotaValue: text }))
    .nullish()
    .catch(null),
});

const Shape = z.object({
  code: z.union([z.number(), z.string()]).nullish().catch(null),
  status: text,
  message: text,
  details: z.array(Detail).nullish().catch(null),
});

/** What can be read from one of Google's error objects; `quotas` names the limits that were passed. */
type ErrorBody = {
  status: number | null;
  /** Google's own word for the status: `RESOURCE_EXHAUSTED`. */
  word: string | null;
  /** What happened, more closely: `API_KEY_INVALID`. */
  reason: string | null;
  message: string | null;
  quotas: { id: string; value: string | null }[];
  retryMs: number | undefined;
  requestId: string | null;
};

/** The status each of Google's words stands for, where an error inside a stream gives no number. */
const STATUSES = new Map([
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['OUT_OF_RANGE', 400],
  ['UNAUTHENTICATED', 401],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['ABORTED', 409],
  ['RESOURCE_EXHAUSTED', 429],
  ['CANCELLED', 499],
  ['UNKNOWN', 500],
  ['INTERNAL', 500],
  ['DATA_LOSS', 500],
  ['UNIMPLEMENTED', 501],
  ['UNAVAILABLE', 503],
  ['DEADLINE_EXCEEDED', 504],
]);

/** Reads an error in any of its forms: `{error}`, `[{error}]`, the object itself, its text; nothing is required. */
function readErrorBody(body: unknown): ErrorBody {
  const { data } = Shape.safeParse(errorIn(typeof body === 'string' ? parseJson(body) : body));
  const details = data?.details ?? [];
  const word = data?.status ?? null;
  return {
    status: statusIn(data?.code) ?? STATUSES.get(word ?? '') ?? null,
    word,
    reason: details.find(({ reason }) => reason)?.reason ?? null,
    message: data?.message ?? null,
    quotas: details
      .flatMap(({ violations }) => violations ?? [])
      .map(({ quotaId, quotaValue }) => ({ id: quotaId ?? '', value: quotaValue ?? null })),
    retryMs: millisecondsOf(details.find(({ retryDelay }) => retryDelay)?.retryDelay),
    requestId: details.find(({ requestId }) => requestId)?.requestId ?? null,
  };
}

function errorIn(body: unknown): unknown {
  const first = Array.isArray(body) ? body[0] : body;
  if (typeof first !== 'object' || first === null || !('error' in first)) return first;
  return typeof first.error === 'string' ? { message: first.error } : first.error;
}

function statusIn(code: string | number | null | undefined): number | null {
  const number = Number(code ?? Number.NaN);
  return Number.isInteger(number) && number >= 400 && number <= 599 ? number : null;
}

const LONGEST_MS = 86_400_000;

/** `17s` or `17.5s`; never more than a day. */
function millisecondsOf(delay: string | null | undefined): number | undefined {
  const seconds = delay && /^\d+(\.\d+)?s$/.test(delay) ? Number.parseFloat(delay) : null;
  return seconds === null ? undefined : Math.min(Math.ceil(seconds * 1000), LONGEST_MS);
}

/** What a refusal means. Google says 400 to a bad key and 429 to an empty purse: its details decide first. */
function codeOfRefusal(body: ErrorBody): ProviderCode {
  const { status } = body;
  const message = body.message ?? '';
  if (isAboutKey(body)) return 'provider_authentication_failed';
  if (status === 429 && isUsedUp(body)) return 'quota_exceeded';
  if ((status === 400 || status === 413) && TOO_LONG.test(message)) return 'context_length_exceeded';
  if (isServers(status) && /overloaded|high demand|at capacity/i.test(message)) return 'provider_overloaded';
  // The server gave the call up, not the caller.
  if (status === 499 || status === null) return 'provider_unavailable';
  return codeOfStatus(status);
}

const TOO_LONG = /token count.{0,60}exceeds|exceeds? the (maximum|context)|context (length|window)|too many tokens/i;

function isAboutKey({ status, reason, message }: ErrorBody): boolean {
  if (reason === 'API_KEY_INVALID' || reason === 'API_KEY_EXPIRED') return true;
  return status === 400 && /API key (not valid|not found|expired|invalid)|invalid API key/i.test(message ?? '');
}

/** A limit per minute passes while one waits. One per day, of nothing at all, or of money does not. */
function isUsedUp({ quotas, message }: ErrorBody): boolean {
  const isForLong = quotas.some(({ id, value }) => /PerDay/i.test(id) || value === '0');
  return (
    isForLong || /\blimit: 0\b|prepa(y|id).{0,40}(depleted|exhausted)|spend(ing)? (cap|limit)/i.test(message ?? '')
  );
}

function isServers(status: number | null): boolean {
  return status === null || status >= 500;
}
