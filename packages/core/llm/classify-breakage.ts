import type { ProviderFailed } from '../failure.ts';
import { isApiError } from './api-error.ts';
import { type Asked, nameFailure } from './name-failure.ts';
import { isNetworkTimeout, networkCode } from './network-code.ts';
import { UnusableReply } from './reply-limits.ts';

/** What ended a call without an answer that can be used: its size, the network, broken JSON, or our own mistake. */
export function classifyBreakage(error: unknown, asked: Asked): ProviderFailed {
  const reason = reasonIn(error);
  if (reason) return nameFailure('provider_bad_response', { ...asked, reason });
  const network = networkCode(error);
  if (network) {
    const code = isNetworkTimeout(network) || isTimeout(error) ? 'provider_timeout' : 'provider_unavailable';
    return nameFailure(code, { ...asked, reason: network });
  }
  if (isTimeout(error)) return nameFailure('provider_timeout', asked);
  if (isApiError(error)) return nameFailure('provider_unavailable', { ...asked, says: error.message });
  if (error instanceof SyntaxError) return nameFailure('provider_bad_response', { ...asked, reason: 'broken JSON' });
  return nameFailure('internal', { ...asked, reason: error instanceof Error ? error.name : typeof error });
}

/** Why an answer was not read to its end; the SDKs wrap what a body fails with. */
function reasonIn(error: unknown, depth = 0): string | null {
  if (!(error instanceof Error) || depth > 5) return null;
  if (error instanceof UnusableReply) return error.message;
  if (codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW') return 'more than 16 KiB of headers';
  return reasonIn(error.cause, depth + 1);
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timed? ?out/i.test(error.message);
}
