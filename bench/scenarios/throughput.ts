import type { Mode, System } from '../contender.ts';
import { systems } from '../contenders/systems.ts';
import { measureInTurns } from '../measure-in-turns.ts';
import type { BenchHarness } from '../open-harness.ts';
import type { Options } from '../read-options.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atLeast, atMost, type Goal } from '../report/goal.ts';
import { printTable } from '../report/print-table.ts';
import { p50Alone, type Results, ratio, wholeCpu } from '../report/summarize.ts';

const RATE_GOAL: Record<Mode, number> = { redis: 1.5, postgres: 2 };

/** Measures turns per second, in comparison with the naive loop. */
export async function throughput(harness: BenchHarness, options: Options) {
  const { turns, concurrency, alone, rounds, tries, modes } = options;
  const contest = { work: { rounds, thinkMs: 0 }, play: { turns, concurrency, alone } };
  const contests = systems.filter(isChosen(options)).map((system) => ({ ...system, ...contest }));
  const results = await measureInTurns(contests, harness, tries);
  return {
    text: `${figuresTable(results)}\n\n${comparisons(results, modes)}`,
    goals: modes.flatMap((mode) => goalsOf(results, mode)),
  };
}

function isChosen({ modes, only }: Options) {
  return ({ name, mode }: System) =>
    modes.includes(mode) && (only.length === 0 || only.some((wanted) => name.startsWith(wanted)));
}

function goalsOf(results: Results, mode: Mode): Goal[] {
  const whole: [string, string] = [`pawl-${mode}`, `naive-${mode}`];
  const alike: [string, string] = [`engine-${mode}`, `naive-${mode}`];
  const rates = [
    atLeast(`on ${mode}: turns/s of Pawl ÷ naive loop, neither with an API`, RATE_GOAL[mode], ratio(results, alike)),
    atLeast(`on ${mode}: the same, with the API of Pawl`, RATE_GOAL[mode], ratio(results, whole)),
  ];
  if (mode === 'postgres') return rates;
  return [
    ...rates,
    atMost('on redis: p50 of a turn alone, neither with an API', 1, ratio(results, alike, p50Alone)),
    atMost('on redis: the same, Pawl with its API', 1, ratio(results, whole, p50Alone)),
  ];
}

/** Returns ratios that are not goals and show the use of the time. */
function comparisons(results: Results, modes: Mode[]): string {
  const rows = modes.flatMap((mode): [string, number][] => {
    const pair: [string, string] = [`naive-${mode}`, `pawl-${mode}`];
    return [
      [`on ${mode}: CPU of the naive loop ÷ CPU of Pawl`, ratio(results, pair, wholeCpu)],
      [`on ${mode}: the same without driver and API`, ratio(results, pair, innerCpu)],
    ];
  });
  const known = rows.filter(([, value]) => !Number.isNaN(value)).map(([what, value]) => [what, value.toFixed(3)]);
  return known.length > 0 ? printTable(['for comparison', ''], known) : '';
}

/** Sums the CPU without the driver and the API. The naive loop has no API, so only the rest is comparable. */
function innerCpu({ cpuMs: { driver = 0, api = 0, ...inner } }: Parameters<typeof wholeCpu>[0]): number {
  return Object.values(inner).reduce((sum, ms) => sum + ms, 0);
}
