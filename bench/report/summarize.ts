import type { Figures } from '../measure.ts';
import { sumCpu } from '../read-cpu.ts';

/** The figures of every repetition, by name. All repetitions have measured the same scenario. */
export type Results = Map<string, Figures[]>;

/** A function that reads a figure of one repetition. */
export type Reading = (figures: Figures) => number;

export const rate: Reading = ({ turnsPerSecond }) => turnsPerSecond;
export const wholeCpu: Reading = ({ cpuMs }) => sumCpu(cpuMs);
export const p50Alone: Reading = ({ alone }) => alone?.p50Ms ?? Number.NaN;

/** Returns the median repetition by turns per second: a row of figures that belong together. */
export function typical(tries: Figures[]): Figures | undefined {
  return middle(tries, rate);
}

/**
 * Returns the median, over the repetitions, of one reading of `name` divided by the same of `other`: the figures of
 * one repetition were measured shortly after each other, under the same conditions. NaN if a name was not measured.
 */
export function ratio(results: Results, [name, other]: [string, string], reading: Reading = rate): number {
  const [ones = [], others = []] = [results.get(name), results.get(other)];
  const ratios = ones.flatMap((one, number) => {
    const two = others[number];
    return two ? [reading(one) / reading(two)] : [];
  });
  return middle(ratios, (value) => value) ?? Number.NaN;
}

function middle<T>(values: T[], rank: (value: T) => number): T | undefined {
  return values.toSorted((a, b) => rank(a) - rank(b))[Math.floor((values.length - 1) / 2)];
}
