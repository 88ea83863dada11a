import { setTimeout as wait } from 'node:timers/promises';

/** `burst` items at once, and `perSecond` after that. */
export type RateBound = { burst: number; perSecond: number };

/** A count of items from one source. */
export type Rate = {
  /** Counts one item; false if it exceeds the rate, and then it is not counted. */
  admits(): boolean;
  /** Counts items and waits until they are within the rate. */
  pace(count: number): Promise<void>;
};

/** Starts to count with a full burst. */
export function startRate({ burst, perSecond }: RateBound): Rate {
  let left = burst;
  let countedAt = performance.now();

  const refill = () => {
    const now = performance.now();
    left = Math.min(burst, left + ((now - countedAt) * perSecond) / 1000);
    countedAt = now;
  };
  return {
    admits() {
      refill();
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    async pace(count) {
      refill();
      left -= count;
      if (left < 0) await wait((-left * 1000) / perSecond, undefined, { ref: false });
    },
  };
}
