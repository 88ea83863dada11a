import type { ProviderFailed } from '../failure.ts';
import { nameFailure } from './name-failure.ts';
import type { Delta, Provider } from './provider.ts';
import { usableReply } from './usable-reply.ts';

/** The bounds of one call beside those of every reply; a piece is a delta: keep-alives and empty chunks do not count. */
export type Bounds = { timeoutMs: number; idleTimeoutMs: number; maxReplyBytes?: number };

const ONE_MIB = 1024 * 1024;
const MOST_PIECES = 300_000;

/**
 * The same provider within bounds: past the time in all or between two pieces it fails as `provider_timeout`, past
 * the size as `provider_bad_response`. The call is ended either way. An abort of the caller's keeps its own reason.
 */
export function bounded(provider: Provider, bounds: Bounds): Provider {
  return {
    ...provider,
    async ask(request, signal, onDelta) {
      const watch = startWatch(provider.name, bounds, signal);
      try {
        const reply = provider.ask(request, watch.signal, (delta) => watch.take(delta) && onDelta(delta));
        return await usableReply(provider.name, Promise.race([reply, watch.broken]));
      } finally {
        watch.stop();
      }
    },
  };
}

type Watch = {
  signal: AbortSignal;
  /** Rejects with the reason of whoever ended the call first, also when the provider does not listen. */
  broken: Promise<never>;
  /** Whether the call still counts: what comes after its end is nobody's. */
  take(delta: Delta): boolean;
  stop(): void;
};

function startWatch(name: string, bounds: Bounds, callers: AbortSignal): Watch {
  const { timeoutMs, idleTimeoutMs, maxReplyBytes = 8 * ONE_MIB } = bounds;
  // One controller for every end: `AbortSignal.any` costs several times as much, and its signal outlives the call.
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
  let bytes = 0;
  let pieces = 0;
  return {
    signal,
    broken,
    take({ text }) {
      idle.refresh();
      bytes += Buffer.byteLength(text);
      pieces += 1;
      if (bytes > maxReplyBytes) end(tooLarge(name, `more than ${mebibytes(maxReplyBytes)} of text`));
      if (pieces > MOST_PIECES) end(tooLarge(name, `more than ${MOST_PIECES.toLocaleString('en')} pieces`));
      return !signal.aborted;
    },
    stop() {
      clearTimeout(total);
      clearTimeout(idle);
      callers.removeEventListener('abort', onAbort);
    },
  };
}

function tooSlow(provider: string, reason: string): ProviderFailed {
  return nameFailure('provider_timeout', { provider, reason });
}

function tooLarge(provider: string, reason: string): ProviderFailed {
  return nameFailure('provider_bad_response', { provider, reason });
}

function mebibytes(bytes: number): string {
  return bytes % ONE_MIB === 0 ? `${bytes / ONE_MIB} MiB` : `${bytes} bytes`;
}
