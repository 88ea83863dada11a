import type { TakenBatch } from '#core/checkpoint/batches/take-batches.ts';
import type { BatchServer } from '#core/llm/batches/batch-server.ts';
import type { Provider } from '#core/llm/provider.ts';
import type { BatchHold } from './hold-batch.ts';

/** A batch that a worker holds, with the server that has it. */
export type BatchWork = { batch: TakenBatch; hold: BatchHold; provider: Provider; server: BatchServer };

/**
 * Returns the key that the provider keeps with a batch. It changes after each refusal, so that a refused batch in a
 * listing is not the batch of a later request (R42).
 */
export function keyOf({ id, refusals }: Pick<TakenBatch, 'id' | 'refusals'>): string {
  return `${id}-${refusals}`;
}

/** The longest time of a request about a batch, from the commit that it may create the batch. */
export const REQUEST_MS = 120_000;

/** Returns the signal of one request: it ends with the hold, and after the longest time of a request. */
export function requestSignal({ signal }: BatchHold): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]);
}

/** The server has made no progress in time, or the process was suspended. */
class TooLate extends Error {}

/** The signal of a long request. It aborts with the hold, or if the server makes no progress in time. */
export type Patience = Disposable & { signal: AbortSignal; renew(elapsedMs?: number): void };

/**
 * Opens the signal of a long request, such as an upload. `renew` notes progress, which is some milliseconds ago. It
 * throws if its time is over, for example because the process was suspended.
 */
export function openPatience({ signal }: BatchHold): Patience {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const renew = (elapsedMs = 0) => {
    clearTimeout(timer);
    if (elapsedMs >= REQUEST_MS) throw new TooLate('the time of a request is over');
    timer = setTimeout(() => late.abort(new TooLate('no progress in time')), REQUEST_MS - elapsedMs);
  };
  renew();
  return { signal: AbortSignal.any([signal, late.signal]), renew, [Symbol.dispose]: () => clearTimeout(timer) };
}
