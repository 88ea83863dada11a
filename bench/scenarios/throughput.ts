import type { Entry } from '../contender.ts';
import { entries, limitsOf } from '../entries.ts';
import { measureInTurns } from '../measure-entry.ts';
import type { Mode } from '../mode.ts';
import type { Options } from '../read-options.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atLeast, atMost, type Goal } from '../report/goal.ts';
import { printTable } from '../report/print-table.ts';
import { across, p50Alone, type Results, ratio, wholeCpu } from '../report/summarize.ts';
import type { Scenario } from '../scenario.ts';

const RATE_GOAL: Record<Mode, number> = { redis: 1.5, postgres: 2 };
const LIMIT_GOAL = 0.4;

/** Turns a second, beside the naive loop and beside the least that a turn needs. */
export const throughput: Scenario = async (harness, options) => {
  const { turns, concurrency, alone, rounds, tries, modes } = options;
  const work = { rounds, thinkMs: 0 };
  const contests = entries.filter(isChosen(options)).map((entry) => {
    const play = { turns, concurrency, alone: entry.kind === 'system' ? alone : 0 };
    return { name: entry.name, entry, work, play };
  });
  const results = await measureInTurns(contests, harness, tries);
  return {
    text: `${figuresTable(results)}\n\n${comparisons(results, modes)}`,
    goals: modes.flatMap((mode) => goalsOf(results, mode)),
  };
};

function isChosen({ modes, only }: Options) {
  return ({ name, mode }: Entry) =>
    (mode === null || modes.includes(mode)) && (only.length === 0 || only.some((wanted) => name.startsWith(wanted)));
}

function goalsOf(results: Results, mode: Mode): Goal[] {
  const whole: [string, string] = [`pawl-${mode}`, `naive-${mode}`];
  const alike: [string, string] = [`engine-${mode}`, `naive-${mode}`];
  const onRedis = mode === 'redis';
  return [
    atLeast(`on ${mode}: turns/s of Pawl ÷ naive loop, neither with an API`, RATE_GOAL[mode], ratio(results, alike)),
    atLeast(`on ${mode}: the same, Pawl with its API`, RATE_GOAL[mode], ratio(results, whole)),
    ...(onRedis
      ? [atMost(`on redis: p50 of a turn alone, neither with an API`, 1, ratio(results, alike, p50Alone))]
      : []),
    ...(onRedis ? [atMost(`on redis: the same, Pawl with its API`, 1, ratio(results, whole, p50Alone))] : []),
    atLeast(`on ${mode}: Pawl ÷ combined limit, commits grouped`, LIMIT_GOAL, shareOfLimit(results, mode, 'grouped')),
  ];
}

/**
 * How near Pawl comes to the least that a turn needs. Rates that are bound by CPU add up like resistances: the combined
 * limit is one turn for the CPU of all its limits, Pawl is one turn for all of its own.
 */
function shareOfLimit(results: Results, mode: Mode, commits: 'grouped' | 'each'): number {
  return across(results, [`pawl-${mode}`, ...limitsOf(mode)[commits]], ([pawl, ...limits]) =>
    pawl ? limits.reduce((sum, limit) => sum + wholeCpu(limit), 0) / wholeCpu(pawl) : Number.NaN,
  );
}

/** Ratios that are no goals and show where the time goes. */
function comparisons(results: Results, modes: Mode[]): string {
  const rows = modes.flatMap((mode) => {
    const [pawl, naive] = [`pawl-${mode}`, `naive-${mode}`];
    const { grouped, each } = limitsOf(mode);
    return [
      [`on ${mode}: Pawl ÷ combined limit, a commit for each checkpoint`, shareOfLimit(results, mode, 'each')],
      [`on ${mode}: CPU of the naive loop ÷ CPU of Pawl`, ratio(results, [naive, pawl], wholeCpu)],
      [`on ${mode}: the same without driver and API`, ratio(results, [naive, pawl], innerCpu)],
      ...[naive, ...new Set([...each, ...grouped])].map((other) => [
        `turns/s of ${pawl} ÷ ${other}`,
        ratio(results, [pawl, other]),
      ]),
    ] as [string, number][];
  });
  const known = rows.filter(([, value]) => !Number.isNaN(value)).map(([what, value]) => [what, value.toFixed(3)]);
  return known.length > 0 ? printTable(['for comparison', ''], known) : '';
}

/** The naive loop has no API and is started by its driver: without both, the rest is comparable. */
function innerCpu({ cpuMs: { driver = 0, api = 0, ...inner } }: Parameters<typeof wholeCpu>[0]): number {
  return Object.values(inner).reduce((sum, ms) => sum + ms, 0);
}
