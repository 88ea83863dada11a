import { REPLY_BOUNDS } from '../bounds/reply-bounds.ts';
import type { ProviderFailed } from '../failure.ts';
import type { RequestedCall } from '../turn/message.ts';
import type { Reply } from '../turn/reply.ts';
import { nameFailure, unusable } from './errors/name-failure.ts';
import type { Delta, Provider, RoundRequest } from './provider.ts';
import { boundReply, UnusableReply } from './unusable-reply.ts';

/** The bounds of one call. Only deltas restart the idle time, not keep-alives and empty chunks. */
export type Bounds = {
  timeoutMs: number;
  idleTimeoutMs: number;
  /**
   * The idle time of requests on the tier `flex`, and their minimum total time. Absent: `flex` requests have the
   * usual bounds.
   */
  flexIdleTimeoutMs?: number;
  maxReplyBytes?: number;
};

const ONE_MIB = 1024 * 1024;
const MOST_DELTAS = 300_000;

/**
 * Returns the provider with bounds. A call that exceeds its total time or the time between two deltas fails with
 * `provider_timeout`. A reply that is too large fails with `provider_bad_response`. An abort of the caller keeps its
 * own reason. A request that reads its reply from a batch has no times: a slow database is no failure of the provider.
 */
export function bounded(provider: Provider, bounds: Bounds): Provider {
  return {
    ...provider,
    async ask(request, signal, onDelta) {
      const own = boundsOf(bounds, request);
      const watch = startWatch(provider.name, own, signal);
      if (request.exchange) watch.endTimes();
      try {
        const asked = request.background ? inBackground(request, own, watch) : request;
        const reply = provider.ask(asked, watch.signal, (delta) => watch.take(delta) && onDelta(delta));
        return await usableReply(provider.name, Promise.race([reply, watch.broken]));
      } finally {
        watch.stop();
      }
    },
  };
}

/** Returns the bounds of one request. Requests on `flex` may take longer. The turn's own times take precedence. */
function boundsOf(bounds: Bounds, { serviceTier, times }: Pick<RoundRequest, 'serviceTier' | 'times'>): Bounds {
  const { flexIdleTimeoutMs } = bounds;
  if (serviceTier !== 'flex' || flexIdleTimeoutMs === undefined) return { ...bounds, ...times };
  const timeoutMs = Math.max(bounds.timeoutMs, flexIdleTimeoutMs);
  return { ...bounds, timeoutMs, idleTimeoutMs: flexIdleTimeoutMs, ...times };
}

/**
 * Returns a request in the background. Its times end once the id of its response is known, since the response
 * continues without a connection. The idle time then ends a silent stream, and not the response.
 */
function inBackground(request: RoundRequest, { idleTimeoutMs }: Bounds, { endTimes }: Watch): RoundRequest {
  const { background, times } = request;
  if (!background) return request;
  const known = () => {
    const id = background.known();
    if (id !== null) endTimes();
    return id;
  };
  const commit = async (id: string) => {
    endTimes();
    return await background.commit(id);
  };
  return { ...request, times: { ...times, idleTimeoutMs }, background: { ...background, known, commit } };
}

type Watch = {
  signal: AbortSignal;
  /** Rejects with the reason for the end, even if the provider ignores the signal. */
  broken: Promise<never>;
  /** Returns whether the call is still running. Later deltas are dropped. */
  take(delta: Delta): boolean;
  /** Ends the total time and the idle time. The limits of size stay. */
  endTimes(): void;
  stop(): void;
};

function startWatch(name: string, bounds: Bounds, callers: AbortSignal): Watch {
  const { timeoutMs, idleTimeoutMs, maxReplyBytes = 8 * ONE_MIB } = bounds;
  // One controller serves every end, since `AbortSignal.any` costs several times as much and its signal outlives the
  // call.
  const ending = new AbortController();
  const { signal } = ending;
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  const end = (reason: unknown) => {
    if (signal.aborted) return;
    ending.abort(reason);
    reject(signal.reason);
  };
  const onAbort = () => end(callers.reason);
  callers.addEventListener('abort', onAbort, { once: true });
  if (callers.aborted) onAbort();

  const total = setTimeout(() => end(tooSlow(name, `no reply within ${timeoutMs} ms`)), timeoutMs);
  const idle = setTimeout(() => end(tooSlow(name, `silent for ${idleTimeoutMs} ms`)), idleTimeoutMs);
  let hasTimes = true;
  const endTimes = () => {
    hasTimes = false;
    clearTimeout(total);
    clearTimeout(idle);
  };
  let bytes = 0;
  let deltas = 0;
  return {
    signal,
    broken,
    take({ text }) {
      if (hasTimes) idle.refresh();
      bytes += Buffer.byteLength(text);
      deltas += 1;
      if (bytes > maxReplyBytes) end(unusable(name, `more than ${mebibytes(maxReplyBytes)} of text`));
      if (deltas > MOST_DELTAS) end(unusable(name, `more than ${MOST_DELTAS.toLocaleString('en')} pieces`));
      return !signal.aborted;
    },
    endTimes,
    stop() {
      endTimes();
      callers.removeEventListener('abort', onAbort);
    },
  };
}

function tooSlow(provider: string, reason: string): ProviderFailed {
  return nameFailure('provider_timeout', { provider, reason });
}

function mebibytes(bytes: number): string {
  return bytes % ONE_MIB === 0 ? `${bytes / ONE_MIB} MiB` : `${bytes} bytes`;
}

/** Returns the reply. Throws a `ProviderFailed` `provider_bad_response` if it exceeds the limits. */
export async function usableReply(provider: string, asking: Promise<Reply>): Promise<Reply> {
  try {
    const reply = await asking;
    checkReply(reply);
    return reply;
  } catch (error) {
    if (!(error instanceof UnusableReply)) throw error;
    throw unusable(provider, error.message);
  }
}

function checkReply({ calls, opaque }: Reply): void {
  boundReply(calls.length, REPLY_BOUNDS.calls, 'tool calls');
  for (const call of calls) checkCall(call);
  const state = opaque === null ? '' : JSON.stringify(opaque);
  boundReply(state.length, REPLY_BOUNDS.stateLength, 'of reasoning, blocks and parts to keep');
}

/** Checks a call without the depth of arguments. The check of the tool covers that, so the model receives the error. */
function checkCall({ name, arguments: args }: RequestedCall): void {
  boundReply(name.length, REPLY_BOUNDS.nameLength, 'characters in the name of a tool');
  boundReply(args.length, REPLY_BOUNDS.argumentsLength, 'of arguments in one call');
}
