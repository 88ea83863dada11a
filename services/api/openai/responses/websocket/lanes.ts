import { SOCKET_BOUNDS } from '#core/bounds/socket-bounds.ts';

/**
 * The lanes of one connection, one for each `stream_id` and one for messages without. Work of the same lane runs one
 * after another, work of several lanes at the same time.
 */
export type Lanes = {
  /** Runs work after all earlier work of its lane. Returns false if the connection may have no further lane. */
  enter(streamId: string, work: () => Promise<void>): boolean;
};

/** Makes the lanes of a connection. `work` may not fail. */
export function makeLanes(): Lanes {
  const lastOf = new Map<string, Promise<void>>();
  const runAtMost = limitRunning(SOCKET_BOUNDS.running);
  return {
    enter: (streamId, work) => {
      const names = [...lastOf.keys()].filter((name) => name !== '');
      if (streamId !== '' && !lastOf.has(streamId) && names.length >= SOCKET_BOUNDS.lanes) return false;
      const before = lastOf.get(streamId) ?? Promise.resolve();
      lastOf.set(
        streamId,
        before.then(() => runAtMost(work)),
      );
      return true;
    },
  };
}

/** Returns a function that runs at most so many works at a time. Further ones wait in their order. */
function limitRunning(most: number): (work: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    await work();
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
}
