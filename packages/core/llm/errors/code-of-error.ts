import { codeOfStatus } from './code-of-status.ts';
import type { ProviderCode } from './name-failure.ts';
import type { SaidError } from './read-error.ts';
import { meaningOfSigns } from './signs.ts';

/**
 * Returns the meaning of an error. Its words decide before its status, since many servers send 400 for everything. If
 * its type and its status contradict each other, the status counts. Gateways write one type, often `api_error`, into
 * all errors.
 */
export function codeOfError(said: SaidError): ProviderCode {
  const known = meaningOfSigns(said);
  if (known) return known;
  const given = codeOfType(said.codes);
  if (said.status === null) return given ?? 'provider_unavailable';
  const byStatus = codeOfStatus(said.status);
  return given && REFINED.get(byStatus)?.includes(given) ? given : byStatus;
}

/** Returns the meaning of an error's type, or null if it is unknown. */
export function codeOfType(codes: string[]): ProviderCode | null {
  return TYPES.find(([type]) => codes.some((code) => type.test(code)))?.[1] ?? null;
}

/** Anthropic's types, and types of servers of OpenAI's wire. */
const TYPES: [RegExp, ProviderCode][] = [
  [/authenti|unauthorized/i, 'provider_authentication_failed'],
  [/permission|(?<!extra_)forbidden|access_?denied/i, 'provider_permission_denied'],
  [/^not_found_error$/, 'provider_model_not_found'],
  [/rate_?limit|too_?many_?requests|throttl|^resource_unavailable$/i, 'provider_rate_limited'],
  [/time_?out/i, 'provider_timeout'],
  [/overloaded/i, 'provider_overloaded'],
  [/invalid_?request|bad_?request|request_too_large|validation_?(error|exception)/i, 'provider_invalid_request'],
  // OpenAI's Responses: the request has an unusable image, or the prompt itself is the cause.
  [/^(invalid_prompt|data_residency_mismatch|empty_image_file|failed_to_download_image)$/, 'provider_invalid_request'],
  [/^(invalid_(base64_)?image\w*|image_\w+|unsupported_image_media_type)$/, 'provider_invalid_request'],
];

/** The codes that a type may add to a vague status. They never change whether a retry may help. */
const REFINED = new Map<ProviderCode, ProviderCode[]>([
  [
    'provider_invalid_request',
    ['provider_authentication_failed', 'provider_permission_denied', 'provider_model_not_found'],
  ],
  ['provider_unavailable', ['provider_overloaded', 'provider_timeout']],
]);
