import type { ProviderCode } from './name-failure.ts';

const CODES = new Map<number, ProviderCode>([
  [401, 'provider_authentication_failed'],
  [402, 'quota_exceeded'],
  [403, 'provider_permission_denied'],
  [404, 'provider_model_not_found'],
  [408, 'provider_timeout'],
  [409, 'provider_unavailable'],
  // The model was retired (NVIDIA, Hugging Face, Cloudflare).
  [410, 'provider_model_not_found'],
  // "Enhance your calm", Hugging Face among others.
  [420, 'provider_rate_limited'],
  [421, 'provider_unavailable'],
  [423, 'provider_unavailable'],
  // The server that a gateway asked has failed (Bedrock, Azure).
  [424, 'provider_unavailable'],
  [425, 'provider_unavailable'],
  [429, 'provider_rate_limited'],
  [430, 'provider_rate_limited'],
  // IIS ends a session.
  [440, 'provider_authentication_failed'],
  // The server closed the connection without an answer (nginx), or asks for the same request again (IIS).
  [444, 'provider_unavailable'],
  [449, 'provider_unavailable'],
  // A load balancer gave up the request, or the server did: Pawl did not.
  [460, 'provider_unavailable'],
  [498, 'provider_overloaded'],
  [499, 'provider_unavailable'],
  [504, 'provider_timeout'],
  // Cloudflare could not connect to the server in time, or waited too long for it.
  [522, 'provider_timeout'],
  [524, 'provider_timeout'],
  [529, 'provider_overloaded'],
  [598, 'provider_timeout'],
  [599, 'provider_timeout'],
]);

/** Statuses below 500 that blame neither the request nor the account: the same request may pass later. */
export function mayPass(status: number): boolean {
  return status < 500 && LATER.has(CODES.get(status) ?? 'provider_invalid_request');
}

const LATER = new Set<ProviderCode>([
  'provider_timeout',
  'provider_unavailable',
  'provider_rate_limited',
  'provider_overloaded',
]);

/** What an HTTP status alone says about a failed call; total, the same for every wire. */
export function codeOfStatus(status: number): ProviderCode {
  const known = CODES.get(status);
  if (known) return known;
  if (status >= 500) return 'provider_unavailable';
  return status >= 400 ? 'provider_invalid_request' : 'provider_bad_response';
}
