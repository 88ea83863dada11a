import { z } from 'zod';
import type { ProviderFailed } from '../../failure.ts';
import { parseJson } from '../../json.ts';
import { retryAfterMs } from '../../retry-after.ts';
import { codeOfError } from '../errors/code-of-error.ts';
import { type Asked, nameFailure, type ProviderCode } from '../errors/name-failure.ts';
import { readError, readRefusal, type SaidError } from '../errors/read-error.ts';
import type { AnswerHeaders } from '../http/http-client.ts';
import type { Refusal } from '../http/open-reply.ts';

export function classifyRefusal(refusal: Refusal, asked: Asked): ProviderFailed {
  const { headers, text } = refusal;
  const { quotas, retryMs } = readDetails(parseJson(text));
  const said = { ...readRefusal(refusal), quotas };
  return failureOf(said, headers, { ...asked, afterMs: retryMs ?? retryAfterMs(headers) });
}

/** Returns the failure of an error inside a 200. A wait in the headers of a 200 does not count. */
export function classifyErrorObject(error: unknown, headers: AnswerHeaders, asked: Asked): ProviderFailed {
  const { quotas, retryMs } = readDetails(error);
  const said = readError(error);
  const status = said.status ?? said.codes.map((word) => STATUSES.get(word)).find(Boolean) ?? null;
  return failureOf({ ...said, status, quotas }, headers, { ...asked, afterMs: retryMs });
}

/** An error of Google. `quotas` names the exceeded limits. */
type GoogleError = SaidError & { quotas: Quota[] };
type Quota = { id: string; value: string | null };

function failureOf(said: GoogleError, headers: AnswerHeaders, asked: Asked & { afterMs: number | undefined }) {
  return nameFailure(codeOfRefusal(said), {
    ...asked,
    status: said.status,
    code: said.codes[0] ?? null,
    requestId: headers.get('x-request-id') ?? headers.get('x-goog-request-id') ?? said.requestId,
    says: said.message,
    param: said.param,
  });
}

const text = z.string().nullish().catch(null);

const Detail = z.object({
  retryDelay: text,
  violations: z
    .array(z.object({ quotaId: text, quotaValue: text }))
    .nullish()
    .catch(null),
});

const Shape = z.object({ details: z.array(Detail).nullish().catch(null) });

/** The statuses of Google's words, for errors in a stream without a number. */
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

/** Reads Google's own details: the exceeded limits and the pause. */
function readDetails(body: unknown): { quotas: Quota[]; retryMs: number | undefined } {
  const { data } = Shape.safeParse(errorIn(body));
  const details = data?.details ?? [];
  return {
    quotas: details
      .flatMap(({ violations }) => violations ?? [])
      .map(({ quotaId, quotaValue }) => ({ id: quotaId ?? '', value: quotaValue ?? null })),
    retryMs: millisecondsOf(details.find(({ retryDelay }) => retryDelay)?.retryDelay),
  };
}

function errorIn(body: unknown): unknown {
  const first = Array.isArray(body) ? body[0] : body;
  return typeof first === 'object' && first !== null && 'error' in first ? first.error : first;
}

const LONGEST_MS = 86_400_000;

/** Reads `17s` or `17.5s` as milliseconds, a day at most. */
function millisecondsOf(delay: string | null | undefined): number | undefined {
  const seconds = delay && /^\d+(\.\d+)?s$/.test(delay) ? Number.parseFloat(delay) : null;
  return seconds === null ? undefined : Math.min(Math.ceil(seconds * 1000), LONGEST_MS);
}

/** Returns the code of a refusal. Google sends 429 for used-up quotas too, so its details decide before its words. */
function codeOfRefusal(said: GoogleError): ProviderCode {
  return said.status === 429 && isUsedUp(said) ? 'quota_exceeded' : codeOfError(said);
}

/** Returns whether a quota is used up. A limit per minute passes with time. A limit per day, or of zero, does not. */
function isUsedUp({ quotas, message }: GoogleError): boolean {
  return quotas.some(({ id, value }) => /PerDay/i.test(id) || value === '0') || /\blimit: 0\b/i.test(message ?? '');
}
