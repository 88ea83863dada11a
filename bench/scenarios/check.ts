import { entries } from '../entries.ts';
import { type Cost, measureAlternately } from '../measure-alternately.ts';
import type { Mode } from '../mode.ts';
import type { BenchHarness } from '../open-harness.ts';
import type { Options } from '../read-options.ts';
import { atLeast } from '../report/goal.ts';
import type { Scenario } from '../scenario.ts';

/** For regressions; no goal (bench/README.md). */
const LEAST_RATIO: Record<Mode, number> = { redis: 1, postgres: 1.5 };

/**
 * The short form for CI: the naive loop, like for like, has to take so many times the CPU of Pawl. The rates stand beside it, but
 * a neighbour on the machine moves them by more than a change does.
 */
export const check: Scenario = async (harness, options) => {
  const texts: string[] = [];
  const goals = [];
  for (const mode of options.modes) {
    const [ours = [], theirs = []] = await compare(mode, harness, options);
    const ratios = (of: keyof Cost) =>
      `${ratio(theirs, ours, of)} (time by time ${ours.map((cost, at) => ratio(theirs.slice(at, at + 1), [cost], of)).join(', ')})`;
    texts.push(
      `on ${mode}, neither with an API: CPU of the naive loop ÷ CPU of Pawl ${ratios('cpuMs')}; turns/s of Pawl ÷ naive loop ${ratios('tookMs')}`,
    );
    goals.push(atLeast(`on ${mode}: CPU of the naive loop ÷ CPU of Pawl`, LEAST_RATIO[mode], cpuRatio(ours, theirs)));
  }
  return { text: texts.join('\n'), goals };
};

/** What Pawl cost, and what the naive loop did. Where no CPU can be read the ratio is not measured, which is a failure. */
function compare(mode: Mode, harness: BenchHarness, { tries, turns, concurrency, rounds }: Options): Promise<Cost[][]> {
  const wanted = [`engine-${mode}`, `naive-${mode}`];
  const pair = wanted.flatMap((name) => entries.filter((entry) => entry.name === name));
  return measureAlternately(pair, harness, {
    work: { rounds, thinkMs: 0 },
    play: {
      ...{ turns, concurrency, times: tries },
      isClear: ([ours = [], theirs = []]) => cpuRatio(ours, theirs) >= LEAST_RATIO[mode],
    },
  });
}

function cpuRatio(ours: Cost[], theirs: Cost[]): number {
  return total(theirs, 'cpuMs') / total(ours, 'cpuMs');
}

function ratio(a: Cost[], b: Cost[], of: keyof Cost): string {
  return (total(a, of) / total(b, of)).toFixed(2);
}

function total(costs: Cost[], of: keyof Cost): number {
  return costs.reduce((sum, cost) => sum + cost[of], 0);
}
