import { ProviderFailed } from '../../failure.ts';
import { Unreached } from '../http/http-client.ts';
import { Interrupted } from '../interrupted.ts';
import { ForeignReply, UnusableReply } from '../unusable-reply.ts';
import { type Asked, nameFailure } from './name-failure.ts';

/**
 * Runs a call. Throws the reason of an aborted signal, and otherwise always a `ProviderFailed`, or `Interrupted`
 * in the background.
 */
export async function nameBreakages<T>(asked: Asked, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  try {
    const result = await call();
    signal.throwIfAborted();
    return result;
  } catch (error) {
    signal.throwIfAborted();
    const isKnown = error instanceof ProviderFailed || error instanceof Interrupted;
    throw isKnown ? error : classifyBreakage(error, asked);
  }
}

/** Returns the failure of a call without a usable answer: its size, the network, broken JSON, or Pawl's own error. */
export function classifyBreakage(error: unknown, asked: Asked): ProviderFailed {
  const foreign = findCause(error, (each) => each instanceof ForeignReply);
  if (foreign) {
    const about = { reason: foreign.message, isElsewhere: true, most: FOREIGN_TRIES };
    return nameFailure('provider_bad_response', { ...asked, ...about });
  }
  const reason = reasonIn(error);
  if (reason) return nameFailure('provider_bad_response', { ...asked, reason });
  const network = networkCode(error);
  if (network) {
    const code = /TIMEOUT|TIMEDOUT/.test(network) ? 'provider_timeout' : 'provider_unavailable';
    const unreached = findCause(error, (each) => each instanceof Unreached);
    const at = unreached ? ` at ${unreached.host}` : '';
    return nameFailure(code, { ...asked, reason: `${network}${at}`, isElsewhere: unreached !== null });
  }
  if (error instanceof SyntaxError) return nameFailure('provider_bad_response', { ...asked, reason: 'broken JSON' });
  return nameFailure('internal', { ...asked, reason: error instanceof Error ? error.name : typeof error });
}

/** The attempts after an HTML page. A gateway may have sent it for a while, but more often the address is wrong. */
const FOREIGN_TRIES = 2;

/**
 * Returns whether a finished reply stays complete: the connection broke, or an event was not JSON. Server errors
 * count.
 */
export function costsNothing(error: unknown): boolean {
  const isCut = error instanceof TypeError && networkCode(error) !== null;
  return isCut || error instanceof SyntaxError;
}

/** Returns why an answer was not read to its end, from an error and its causes. */
function reasonIn(error: unknown): string | null {
  const overflows = (each: Error) => 'code' in each && each.code === 'UND_ERR_HEADERS_OVERFLOW';
  const unusable = findCause(error, (each) => each instanceof UnusableReply);
  if (unusable) return unusable.message;
  return findCause(error, (each): each is Error => overflows(each)) ? 'more than 16 KiB of headers' : null;
}

/** Returns the first error of a kind, of an error and its causes. */
function findCause<Kind extends Error>(error: unknown, isKind: (each: Error) => each is Kind, depth = 0): Kind | null {
  if (!(error instanceof Error) || depth > 5) return null;
  return isKind(error) ? error : findCause(error.cause, isKind, depth + 1);
}

/** Returns the code of the network failure in an error (`ECONNREFUSED`, `UND_ERR_SOCKET` …), or null. */
function networkCode(error: unknown, depth = 0): string | null {
  if (!(error instanceof Error) || depth > 5) return null;
  if ('code' in error && typeof error.code === 'string' && NETWORK.test(error.code)) return error.code;
  return networkCode(error.cause, depth + 1) ?? (BROKEN.test(error.message) ? 'connection broken' : null);
}

const NETWORK =
  /^(E[A-Z]{3,}|UND_ERR_(?!INVALID_ARG)\w+|HPE_\w+|Z_\w+|ERR_(SSL|TLS|STREAM|HTTP)\w*|\w*CERT\w*|\w*SIGNATURE\w*)$/;
const BROKEN = /^(terminated|fetch failed)/;
