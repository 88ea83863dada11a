/** Reads in flight, which have to end before the database is closed. */
export type PendingReads = { add<T>(read: Promise<T>): Promise<T>; settled(): Promise<void> };

/** Keeps track of reads until they have ended, well or not. */
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
