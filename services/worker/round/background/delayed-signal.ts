/** The longest time for which an abort waits for the id of a response. */
const LONGEST_DELAY_MS = 3_000;

/** A signal that follows another signal, with a delay while it is on hold. */
export type DelayedSignal = Disposable & {
  signal: AbortSignal;
  hold(): void;
  release(): void;
  end(reason: unknown): void;
};

/** Returns a signal that aborts like `callers`, but at the earliest when it is released, or three seconds later. */
export function delayedSignal(callers: AbortSignal): DelayedSignal {
  const ending = new AbortController();
  let isHeld = false;
  let timer: NodeJS.Timeout | undefined;
  const end = () => ending.abort(callers.reason);
  const onAbort = () => {
    if (isHeld) timer = setTimeout(end, LONGEST_DELAY_MS);
    else end();
  };
  callers.addEventListener('abort', onAbort, { once: true });
  if (callers.aborted) end();
  return {
    signal: ending.signal,
    end: (reason) => ending.abort(reason),
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      if (callers.aborted) end();
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      callers.removeEventListener('abort', onAbort);
    },
  };
}
