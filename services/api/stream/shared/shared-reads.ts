/** Runs a query, or waits for the query under the same key that has not started yet. */
export type SharedReads = <T>(key: string, query: () => Promise<T>) => Promise<T>;

/**
 * Shares queries: requests that arrive while a query runs share the next query after it. So each answer is as fresh
 * as if its request had read alone.
 */
export function makeSharedReads(): SharedReads {
  const next = new Map<string, Promise<unknown>>();
  const running = new Map<string, Promise<unknown>>();

  async function begin<T>(key: string, query: () => Promise<T>): Promise<T> {
    await running.get(key)?.catch(() => {});
    next.delete(key);
    const read = query();
    running.set(key, read);
    try {
      return await read;
    } finally {
      running.delete(key);
    }
  }
  return <T>(key: string, query: () => Promise<T>) => {
    // Only reads of the same kind share a key, so a promise under the key has the same type.
    const read = (next.get(key) as Promise<T> | undefined) ?? begin(key, query);
    next.set(key, read);
    return read;
  };
}
