import { codeOfStatus } from '../code-of-status.ts';
import type { ProviderCode } from '../name-failure.ts';
import type { ErrorBody } from './error-body.ts';

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
 * What a refusal means: money and length are told by their words, all else by the status and the error's type. Where
 * they contradict each other the status counts: gateways write one type, often `api_error`, into all they answer.
 */
export function codeOfRefusal({ type, code, message }: ErrorBody, status: number | null): ProviderCode {
  if (SPENT.test(code ?? '') || BROKE.test(message ?? '')) return 'quota_exceeded';
  const known = codeOf(TYPES.get(type ?? ''), status);
  return known === 'provider_invalid_request' && TOO_LONG.test(message ?? '') ? 'context_length_exceeded' : known;
}

function codeOf(told: ProviderCode | undefined, status: number | null): ProviderCode {
  if (status === null) return told ?? 'provider_unavailable';
  const byStatus = codeOfStatus(status);
  const mayRefine = told === 'quota_exceeded' || (told && REFINED.get(byStatus)?.includes(told));
  return mayRefine ? told : byStatus;
}

/** What statuses that say little leave open; whether another try may help is not among it. */
const REFINED = new Map<ProviderCode, ProviderCode[]>([
  [
    'provider_invalid_request',
    ['provider_authentication_failed', 'provider_permission_denied', 'provider_model_not_found'],
  ],
  ['provider_unavailable', ['provider_overloaded', 'provider_timeout']],
]);
