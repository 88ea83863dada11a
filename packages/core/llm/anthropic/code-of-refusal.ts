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

/** What a refusal means: money and length are told by their words, all else by the error's type, then its status. */
export function codeOfRefusal({ type, code, message }: ErrorBody, status: number | null): ProviderCode {
  if (SPENT.test(code ?? '') || BROKE.test(message ?? '')) return 'quota_exceeded';
  const known = TYPES.get(type ?? '') ?? (status === null ? 'provider_unavailable' : codeOfStatus(status));
  return known === 'provider_invalid_request' && TOO_LONG.test(message ?? '') ? 'context_length_exceeded' : known;
}
