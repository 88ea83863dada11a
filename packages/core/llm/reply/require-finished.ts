import { type FailedCall, nameFailure } from '../errors/name-failure.ts';
import type { OpenedReply } from '../http/open-reply.ts';

/**
 * Throws a `provider_bad_response` if JSON that came whole is no reply of its wire. A stream that has not ended was
 * cut.
 */
export function requireFinished({ kind }: Pick<OpenedReply, 'kind'>, isFinished: boolean, about: FailedCall): void {
  if (kind === 'whole' && !isFinished) throw nameFailure('provider_bad_response', about);
}
