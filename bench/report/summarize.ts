import type { Figures } from '../measure.ts';
import { sumCpu } from '../read-cpu.ts';

/** The figures of every try, by name; all tries have measured the same. */
export type Results = Map<string, Figures[]>;

/** A figure of one try. */
export type Reading = (figures: Figures) => number;

export const rate: Reading = ({ turnsPerSecond }) => turnsPerSecond;
export const wholeCpu: Reading = ({ cpuMs }) => sumCpu(cpuMs);
export const p50Alone: Reading = ({ alone }) => alone?.p50Ms ?? Number.NaN;

/** The try in the middle by turns per second: a row of figures that belong together. */
export function typical(tries: Figures[]): Figures | undefined {
  return middle(tries, rate);
}

/**
 * The median of `combine` over the tries: the figures of one try were measured soon after each other, under the same
 * conditions. NaN where something is missing.
 */
export function across(results: Results, names: string[], combine: (figures: Figures[]) => number): number {
  const tries = Math.max(0, ...[...results.values()].map((all) => all.length));
  const values = Array.from({ length: tries }, (_, number) => {
    const figures = names.flatMap((name) => results.get(name)?.[number] ?? []);
    return figures.length === names.length ? combine(figures) : Number.NaN;
  });
  return (
    middle(
      values.filter((value) => !Number.isNaN(value)),
      (value) => value,
    ) ?? Number.NaN
  );
}

/** One reading of `name` divided by the same of `other`. */
export function ratio(results: Results, [name, other]: [string, string], reading: Reading = rate): number {
  return across(results, [name, other], ([one, two]) => (one && two ? reading(one) / reading(two) : Number.NaN));
}

function middle<T>(values: T[], rank: (value: T) => number): T | undefined {
  return values.toSorted((a, b) => rank(a) - rank(b))[Math.floor((values.length - 1) / 2)];
}
