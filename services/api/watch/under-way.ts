/** What is under way and has to end before what it stands on is closed. */
export type UnderWay = { add<T>(work: Promise<T>): Promise<T>; ended(): Promise<void> };

/** Keeps track of work until it has ended, well or not. */
export function makeUnderWay(): UnderWay {
  const all = new Set<Promise<unknown>>();

  return {
    add: (work) => {
      const tracked = work.catch(() => {}).finally(() => all.delete(tracked));
      all.add(tracked);
      return work;
    },
    ended: async () => {
      while (all.size > 0) await Promise.all(all);
    },
  };
}
