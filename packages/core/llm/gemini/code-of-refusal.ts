import { codeOfStatus } from '../code-of-status.ts';
import type { ProviderCode } from '../name-failure.ts';
import type { ErrorBody } from './error-body.ts';

/** What a refusal means. Google says 400 to a bad key and 429 to an empty purse: its details decide first. */
export function codeOfRefusal(body: ErrorBody): ProviderCode {
  const { status } = body;
  const message = body.message ?? '';
  if (isAboutKey(body)) return 'provider_authentication_failed';
  if (status === 429 && isUsedUp(body)) return 'quota_exceeded';
  if ((status === 400 || status === 413) && TOO_LONG.test(message)) return 'context_length_exceeded';
  if (isServers(status) && /overloaded|high demand|at capacity/i.test(message)) return 'provider_overloaded';
  // The server gave the call up, not the caller.
  if (status === 499 || status === null) return 'provider_unavailable';
  return codeOfStatus(status);
}

const TOO_LONG = /token count.{0,60}exceeds|exceeds? the (maximum|context)|context (length|window)|too many tokens/i;

function isAboutKey({ status, reason, message }: ErrorBody): boolean {
  if (reason === 'API_KEY_INVALID' || reason === 'API_KEY_EXPIRED') return true;
  return status === 400 && /API key (not valid|not found|expired|invalid)|invalid API key/i.test(message ?? '');
}

/** A limit per minute passes while one waits. One per day, of nothing at all, or of money does not. */
function isUsedUp({ quotas, message }: ErrorBody): boolean {
  const isForLong = quotas.some(({ id, value }) => /PerDay/i.test(id) || value === '0');
  return (
    isForLong || /\blimit: 0\b|prepa(y|id).{0,40}(depleted|exhausted)|spend(ing)? (cap|limit)/i.test(message ?? '')
  );
}

function isServers(status: number | null): boolean {
  return status === null || status >= 500;
}
