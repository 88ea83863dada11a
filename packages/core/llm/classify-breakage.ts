import type { ProviderFailed } from '../failure.ts';
import { isApiError } from './api-error.ts';
import { type Asked, nameFailure } from './name-failure.ts';
import { isNetworkTimeout, networkCode } from './network-code.ts';

/** What ended a call without an answer of the server's: the network, broken JSON, or a mistake of our own. */
export function classifyBreakage(error: unknown, asked: Asked): ProviderFailed {
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

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timed? ?out/i.test(error.message);
}
