/** Reads in flight, which must end before the database is closed. */
export type PendingReads = { add<T>(read: Promise<T>): Promise<T>; settled(): Promise<void> };

/** Tracks reads until they have succeeded or failed. */
export function makePendingReads(): PendingReads {
  const all = new Set<Promise<unknown>>();

  return {
    add: (read) => {
      const tracked = read.catch(() => {}).finally(() => all.delete(tracked));
      all.add(tracked);
      return read;
    },
    settled: async () => {
      while (all.size > 0) await Promise.all(all);
    },
  };
}
