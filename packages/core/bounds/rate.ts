import { setTimeout as wait } from 'node:timers/promises';

/** A rate of `burst` items at once, and `perSecond` after that. */
export type RateBound = { burst: number; perSecond: number };

/** A count of items from one source. */
export type Rate = {
  /** Counts an item and returns true if it is within the rate. Otherwise it does not count. */
  admits(): boolean;
  /** Counts items and waits until they are within the rate. */
  pace(count: number): Promise<void>;
  /** Counts as many of the items as are within the rate. Returns the number of the others. */
  excess(count: number): number;
};

/** Paces one of several sources that share a rate. Items within the source's own bound never wait for the others. */
export function paceSource(shared: Rate, own: RateBound): Pick<Rate, 'pace'> {
  const allowance = startRate(own);
  return {
    async pace(count) {
      const excess = allowance.excess(count);
      if (excess > 0) await shared.pace(excess);
    },
  };
}

/** Starts to count with a full burst. */
export function startRate({ burst, perSecond }: RateBound): Rate {
  let left = burst;
  let countedAt = performance.now();

  const refill = () => {
    const now = performance.now();
    left = Math.min(burst, left + ((now - countedAt) * perSecond) / 1000);
    countedAt = now;
  };
  const excess = (count: number) => {
    refill();
    const admitted = Math.min(count, Math.max(0, Math.floor(left)));
    left -= admitted;
    return count - admitted;
  };
  return {
    excess,
    admits: () => excess(1) === 0,
    async pace(count) {
      refill();
      left -= count;
      if (left < 0) await wait((-left * 1000) / perSecond, undefined, { ref: false });
    },
  };
}
