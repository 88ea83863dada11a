/** Makes a generator of random-looking numbers that a seed repeats (mulberry32). */
export function makeRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const upTo = (limit: number) => Math.floor(next() * (limit + 1));
  return { chance: (share: number) => next() < share, upTo };
}

export type Random = ReturnType<typeof makeRandom>;

const WORDS = ['one ', 'two ', '🐢 ', 'drei', ' 🐢🐢', '\n', 'é', 'a longer word '];

export function randomText(random: Random, words: number): string {
  return Array.from({ length: words }, () => WORDS[random.upTo(WORDS.length - 1)]).join('');
}

/** Splits a text into chunks of any size. A chunk may end within a surrogate pair. */
export function inChunks(text: string, random: Random): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + random.upTo(8);
    chunks.push(text.slice(at, end));
    at = end;
  }
  return chunks;
}

export function shuffled<Item>(items: Item[], random: Random): Item[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.upTo(rest.length - 1), 1)[0] as Item);
}

/** Mixes two lists. Each list keeps its order. */
export function mixed<Item>(first: readonly Item[], second: readonly Item[], random: Random): Item[] {
  const [a, b] = [[...first], [...second]];
  return Array.from({ length: a.length + b.length }, () => {
    const isFirst = b.length === 0 || (a.length > 0 && random.chance(0.5));
    return (isFirst ? a : b).shift() as Item;
  });
}
