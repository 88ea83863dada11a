/** Pseudo-random choices, which the seed determines. */
export type Random = {
  /** Returns a number from 0 to below 1. */
  next(): number;
  /** Returns a whole number, both ends included. */
  integer(least: number, most: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
};

/** Makes choices from a seed (mulberry32: 32 bits of state, good enough to choose faults). */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));

  return {
    next,
    integer,
    pick: (items) => items[integer(0, items.length - 1)] ?? items[0],
    shuffle: (items) => {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = integer(0, last);
        [shuffled[last], shuffled[other]] = [shuffled[other] as never, shuffled[last] as never];
      }
      return shuffled;
    },
  };
}
