import type { ProviderCode } from './name-failure.ts';

const CODES = new Map<number, ProviderCode>([
  [401, 'provider_authentication_failed'],
  [402, 'quota_exceeded'],
  [403, 'provider_permission_denied'],
  [404, 'provider_model_not_found'],
  [408, 'provider_timeout'],
  [409, 'provider_unavailable'],
  [425, 'provider_unavailable'],
  [429, 'provider_rate_limited'],
  [498, 'provider_overloaded'],
  [504, 'provider_timeout'],
  [524, 'provider_timeout'],
  [529, 'provider_overloaded'],
]);

/** What an HTTP status alone says about a failed call; total, the same for every wire. */
export function codeOfStatus(status: number): ProviderCode {
  const known = CODES.get(status);
  if (known) return known;
  if (status >= 500) return 'provider_unavailable';
  return status >= 400 ? 'provider_invalid_request' : 'provider_bad_response';
}
