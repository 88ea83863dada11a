/** Bytes that a step may load. Disposing the share releases the bytes. */
export type Share = Disposable & { hasWaited: boolean };

/** Bytes that all steps of a worker may load together. */
export type Shares = {
  /** Takes bytes, in the order of the calls. Returns null if they are not free within the longest wait. */
  take(bytes: number): Promise<Share | null>;
};

type Waiting = { bytes: number; start(share: Share): void };

/** A share of no bytes. */
export const NO_SHARE: Share = { hasWaited: false, [Symbol.dispose]: () => {} };

/** Hands out `total` bytes. No share is larger than `total`, so every caller gets its share at some time. */
export function makeShares(total: number, longestWaitMs: number): Shares {
  let free = total;
  const waiting: Waiting[] = [];

  function serve(hasWaited: boolean): void {
    for (let next = waiting[0]; next && next.bytes <= free; next = waiting[0]) {
      waiting.shift();
      next.start(hold(next.bytes, hasWaited));
    }
  }

  function hold(bytes: number, hasWaited: boolean): Share {
    free -= bytes;
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      free += bytes;
      serve(true);
    };
    return { hasWaited, [Symbol.dispose]: release };
  }

  return {
    take: (wanted) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(entry), 1);
          resolve(null);
          serve(true);
        }, longestWaitMs);
        const start = (share: Share) => {
          clearTimeout(timer);
          resolve(share);
        };
        const entry = { bytes: Math.min(wanted, total), start };
        waiting.push(entry);
        serve(false);
      }),
  };
}
