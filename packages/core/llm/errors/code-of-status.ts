import type { ProviderCode } from './name-failure.ts';

const STATUSES: [ProviderCode, number[]][] = [
  // IIS ends a session with 440.
  ['provider_authentication_failed', [401, 440]],
  ['quota_exceeded', [402]],
  ['provider_permission_denied', [403]],
  // With 410, the model was retired (NVIDIA, Hugging Face, Cloudflare).
  ['provider_model_not_found', [404, 410]],
  // With 522 and 524, Cloudflare could not connect to the server in time, or waited too long for it.
  ['provider_timeout', [408, 504, 522, 524, 598, 599]],
  // With 424, the server of a gateway failed (Bedrock, Azure).
  ['provider_unavailable', [409, 421, 423, 424, 425]],
  // The server closed the connection without an answer (nginx), or asks for the same request again (IIS). A load
  // balancer or the server abandoned the request, not Pawl.
  ['provider_unavailable', [444, 449, 460, 499]],
  // 420 is "Enhance your calm", Hugging Face among others.
  ['provider_rate_limited', [420, 429, 430]],
  ['provider_overloaded', [498, 529]],
];
const CODES = new Map(STATUSES.flatMap(([code, statuses]) => statuses.map((status) => [status, code] as const)));

/**
 * Returns whether a status below 500 blames neither the request nor the account, so that the request may pass later.
 */
export function mayPass(status: number): boolean {
  return status < 500 && LATER.has(CODES.get(status) ?? 'provider_invalid_request');
}

const LATER = new Set<ProviderCode>([
  'provider_timeout',
  'provider_unavailable',
  'provider_rate_limited',
  'provider_overloaded',
]);

/** Returns the meaning of an HTTP status alone, the same for every wire. */
export function codeOfStatus(status: number): ProviderCode {
  const known = CODES.get(status);
  if (known) return known;
  if (status >= 500) return 'provider_unavailable';
  return status >= 400 ? 'provider_invalid_request' : 'provider_bad_response';
}
