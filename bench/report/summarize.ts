import type { Figures } from '../measure.ts';

/** The figures of every repeat, by the name of the entry; all repeats are of one length. */
export type Results = Map<string, Figures[]>;

/** The repeat in the middle by turns per second: a row of figures that belong together. */
export function typical(repeats: Figures[]): Figures | undefined {
  return middle(repeats, ({ turnsPerSecond }) => turnsPerSecond);
}

/**
 * How much of a limit's rate an entry reaches: the middle of the ratios within each repeat, whose parts were measured
 * one soon after the other and so under the same weather. Undefined where one of them was not measured.
 */
export function ratio(results: Results, name: string, limit: string): number | undefined {
  const limits = results.get(limit);
  const ratios = results
    .get(name)
    ?.map(({ turnsPerSecond }, repeat) => turnsPerSecond / (limits?.[repeat]?.turnsPerSecond ?? Number.NaN));
  return ratios && limits ? middle(ratios, (value) => value) : undefined;
}

function middle<T>(values: T[], rank: (value: T) => number): T | undefined {
  return values.toSorted((a, b) => rank(a) - rank(b))[Math.floor((values.length - 1) / 2)];
}
