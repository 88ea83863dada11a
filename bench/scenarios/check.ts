import { entries } from '../entries.ts';
import { measureEntry } from '../measure-entry.ts';
import type { Mode } from '../mode.ts';
import type { BenchHarness } from '../open-harness.ts';
import type { Options } from '../read-options.ts';
import { atMost } from '../report/goal.ts';
import { wholeCpu } from '../report/summarize.ts';
import type { Scenario } from '../scenario.ts';

const LEAST_RATIO = 1.5;
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
    goals.push(atMost(`on ${mode}: tries with a ratio of CPU under ${LEAST_RATIO}`, FAILURES_ALLOWED, countBad(tries)));
  }
  return { text: texts.join('\n'), goals };
};

type Ratios = { cpu: number; rate: number };

/** Where no CPU can be read no try is good. */
function countBad(tries: Ratios[]): number {
  return tries.filter(({ cpu }) => !(cpu >= LEAST_RATIO)).length;
}

/** One try after the other, until the result is clear. */
async function compare(mode: Mode, harness: BenchHarness, { tries: most, turns, concurrency, alone, rounds }: Options) {
  const trial = { work: { rounds, thinkMs: 0 }, play: { turns, concurrency, alone } };
  const [pawl, naive] = [`engine-${mode}`, `naive-${mode}`].map((name) => entries.find((entry) => entry.name === name));
  const tries: Ratios[] = [];
  const isClear = () => [countBad(tries), tries.length - countBad(tries)].some((count) => count > FAILURES_ALLOWED);
  while (pawl && naive && tries.length < most && !isClear()) {
    const ours = await measureEntry(pawl, harness, trial);
    const theirs = await measureEntry(naive, harness, trial);
    tries.push({ cpu: wholeCpu(theirs) / wholeCpu(ours), rate: ours.turnsPerSecond / theirs.turnsPerSecond });
  }
  return tries;
}
