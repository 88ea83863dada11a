import { z } from 'zod';
import type { ProviderFailed } from '../../failure.ts';
import { parseJson } from '../../json.ts';
import { retryAfterMs } from '../../retry-after.ts';
import { codeOfStatus } from '../errors/code-of-status.ts';
import { type Asked, nameFailure, type ProviderCode, plainWords } from '../errors/name-failure.ts';
import type { AnswerHeaders } from '../http/http-client.ts';
import type { Refusal } from '../http/open-reply.ts';

/** A refused request, as the failure it is. */
export function classifyRefusal({ status, headers, text }: Refusal, asked: Asked): ProviderFailed {
  const error = parseJson(text);
  const body = readErrorBody(error);
  return nameFailure(codeOfRefusal(body, status), {
    ...asked,
    ...named(body, headers),
    status,
    says: body.message ?? (error ? JSON.stringify(error) : plainWords(text)),
    afterMs: retryAfterMs(headers),
  });
}

/** An error event inside the stream, as the failure it is. Its headers came with a 200: no wait in them counts. */
export function classifyErrorEvent(data: string, headers: AnswerHeaders, asked: Asked): ProviderFailed {
  const body = readErrorBody(parseJson(data) ?? data);
  return nameFailure(codeOfRefusal(body, null), { ...asked, ...named(body, headers), says: body.message });
}

function named({ code, type, requestId }: ErrorBody, headers: AnswerHeaders) {
  const given = headers.get('request-id') ?? headers.get('x-request-id');
  return { code: code ?? type, requestId: given ?? requestId };
}

const text = z.string().nullish().catch(null);
const Inner = z.object({
  type: text,
  message: text,
  details: z.object({ error_code: text }).nullish().catch(null),
});
const Outer = z.object({ error: z.union([z.string(), Inner]).nullish().catch(null), message: text, request_id: text });

/** What can be read from an error object of this wire. */
type ErrorBody = { type: string | null; code: string | null; message: string | null; requestId: string | null };

/** Reads an error body or event; nothing in it is required, since gateways write their own. */
function readErrorBody(body: unknown): ErrorBody {
  const { data } = Outer.safeParse(typeof body === 'string' ? { message: body } : body);
  const { error } = data ?? {};
  const inner = typeof error === 'string' ? { message: error } : error;
  return {
    type: inner?.type ?? null,
    code: inner?.details?.error_code ?? null,
    message: inner?.message ?? data?.message ?? null,
    requestId: data?.request_id ?? null,
  };
}

const TYPES = new Map<string, ProviderCode>([
  ['invalid_request_error', 'provider_invalid_request'],
  ['authentication_error', 'provider_authentication_failed'],
  ['billing_error', 'quota_exceeded'],
  ['permission_error', 'provider_permission_denied'],
  ['not_found_error', 'provider_model_not_found'],
  ['request_too_large', 'provider_invalid_request'],
  ['rate_limit_error', 'provider_rate_limited'],
  ['timeout_error', 'provider_timeout'],
  ['conflict_error', 'provider_unavailable'],
  ['api_error', 'provider_unavailable'],
  ['overloaded_error', 'provider_overloaded'],
]);

/** A spend limit is a 429 without `retry-after`, or a 400; waiting brings nothing before next month. */
const SPENT = /spend_limit_reached|billing_unavailable/;
const BROKE = /credit balance is too low|reached your specified (workspace )?API usage limits/i;
const TOO_LONG = /prompt is too long|exceed(s|ed)? (the )?(context|model's context)|maximum context length/i;

/**
 * What a refusal means: money and length are known by their words, all else by the status and the error's type. Where
 * they contradict each other the status counts: gateways write one type, often `api_error`, into all they answer.
 */
function codeOfRefusal({ type, code, message }: ErrorBody, status: number | null): ProviderCode {
  if (SPENT.test(code ?? '') || BROKE.test(message ?? '')) return 'quota_exceeded';
  const known = codeOf(TYPES.get(type ?? ''), status);
  return known === 'provider_invalid_request' && TOO_LONG.test(message ?? '') ? 'context_length_exceeded' : known;
}

function codeOf(given: ProviderCode | undefined, status: number | null): ProviderCode {
  if (status === null) return given ?? 'provider_unavailable';
  const byStatus = codeOfStatus(status);
  const mayRefine = given === 'quota_exceeded' || (given && REFINED.get(byStatus)?.includes(given));
  return mayRefine ? given : byStatus;
}

/** What statuses that say little leave open; whether another try may help is not among it. */
const REFINED = new Map<ProviderCode, ProviderCode[]>([
  [
    'provider_invalid_request',
    ['provider_authentication_failed', 'provider_permission_denied', 'provider_model_not_found'],
  ],
  ['provider_unavailable', ['provider_overloaded', 'provider_timeout']],
]);
