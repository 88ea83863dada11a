import { entries } from '../entries.ts';
import { measureEntry } from '../measure-entry.ts';
import type { Mode } from '../mode.ts';
import type { BenchHarness } from '../open-harness.ts';
import type { Options } from '../read-options.ts';
import { atMost } from '../report/goal.ts';
import { wholeCpu } from '../report/summarize.ts';
import type { Scenario } from '../scenario.ts';

/** Under the lowest try of a day on a busy machine; the middle one was a quarter above (bench/README.md). */
const LEAST_RATIO: Record<Mode, number> = { redis: 1, postgres: 1.5 };
const FAILURES_ALLOWED = 1;

/**
 * The short form for CI: the naive loop, like for like, has to take so many times the CPU of Pawl; in one of three tries it may
 * be less, not in two. The rates stand beside it, but a neighbour on the machine moves them by more than a change does.
 */
export const check: Scenario = async (harness, options) => {
  const texts: string[] = [];
  const goals = [];
  for (const mode of options.modes) {
    const tries = await compare(mode, harness, options);
    const ratios = (of: keyof Ratios) => tries.map((ratio) => ratio[of].toFixed(2)).join(', ');
    texts.push(
      `on ${mode}, neither with an API: CPU of the naive loop ÷ CPU of Pawl ${ratios('cpu')}; turns/s of Pawl ÷ naive loop ${ratios('rate')}`,
    );
    const what = `on ${mode}: tries with a ratio of CPU under ${LEAST_RATIO[mode]}`;
    goals.push(atMost(what, FAILURES_ALLOWED, countBad(mode, tries)));
  }
  return { text: texts.join('\n'), goals };
};

type Ratios = { cpu: number; rate: number };

/** Where no CPU can be read no try is good. */
function countBad(mode: Mode, tries: Ratios[]): number {
  return tries.filter(({ cpu }) => !(cpu >= LEAST_RATIO[mode])).length;
}

/** One try after the other, until the result is clear. */
async function compare(mode: Mode, harness: BenchHarness, { tries: most, turns, concurrency, alone, rounds }: Options) {
  const trial = { work: { rounds, thinkMs: 0 }, play: { turns, concurrency, alone } };
  const [pawl, naive] = [`engine-${mode}`, `naive-${mode}`].map((name) => entries.find((entry) => entry.name === name));
  const tries: Ratios[] = [];
  const isClear = () => {
    const bad = countBad(mode, tries);
    return Math.max(bad, tries.length - bad) > FAILURES_ALLOWED;
  };
  while (pawl && naive && tries.length < most && !isClear()) {
    const ours = await measureEntry(pawl, harness, trial);
    const theirs = await measureEntry(naive, harness, trial);
    tries.push({ cpu: wholeCpu(theirs) / wholeCpu(ours), rate: ours.turnsPerSecond / theirs.turnsPerSecond });
  }
  return tries;
}
