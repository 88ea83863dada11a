import { OutboundFailed } from './outbound-failed.ts';

/** Puts an error of the connection into our words: kind, and a message without addresses. */
export function explainFailure(
  error: Error,
  { host, sent, status, body }: { host: string; sent: boolean; status: number | null; body: string | null },
): OutboundFailed {
  if (error instanceof OutboundFailed) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  const about = { sent, status, body, cause: error };
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new OutboundFailed('aborted', `The request to ${host} was given up at shutdown.`, about);
  }
  if (code === 'UND_ERR_INVALID_ARG' && !sent) {
    return new OutboundFailed('blocked', `The request to ${host} has a header that cannot be sent.`, about);
  }
  const why = code === null ? '' : ` (${code})`;
  if (sent) return new OutboundFailed('cut', `The connection to ${host} ended before the answer did${why}.`, about);
  return new OutboundFailed('not-connected', `No connection to ${host} came about${why}.`, about);
}
