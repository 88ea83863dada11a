/** The tokens of one request. The parts do not overlap, and the first four add up to the input. */
export type TokenCount = { fresh: number; read: number; written: number; writtenForHour: number; output: number };

/** USD per million tokens, with the field names of `PAWL_PRICES`. */
export type TokenPrices = Record<'input' | 'cached_input' | 'cache_write' | 'cache_write_1h' | 'output', number>;

/** Estimates the number of tokens of a text: one per four characters. */
export function countTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** Returns a count in which the whole input is fresh. */
export function freshCount(fresh: number): TokenCount {
  return { fresh, read: 0, written: 0, writtenForHour: 0, output: 0 };
}

export function inputOf({ fresh, read, written, writtenForHour }: TokenCount): number {
  return fresh + read + written + writtenForHour;
}

export function sumCounts(counts: readonly TokenCount[]): TokenCount {
  return counts.reduce(
    (sum, each) => ({
      fresh: sum.fresh + each.fresh,
      read: sum.read + each.read,
      written: sum.written + each.written,
      writtenForHour: sum.writtenForHour + each.writtenForHour,
      output: sum.output + each.output,
    }),
    freshCount(0),
  );
}

export function billOf(prices: TokenPrices, { fresh, read, written, writtenForHour, output }: TokenCount): number {
  const input = fresh * prices.input + read * prices.cached_input;
  const writes = written * prices.cache_write + writtenForHour * prices.cache_write_1h;
  return (input + writes + output * prices.output) / 1_000_000;
}
