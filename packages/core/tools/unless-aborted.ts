/**
 * Waits for `work` until `signal` aborts. Returns null if `signal` is first. Then `work` continues without a reader.
 */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const stop = () => resolve(null);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
