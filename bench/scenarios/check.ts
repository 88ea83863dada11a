import type { Mode } from '../contender.ts';
import { entries } from '../entries.ts';
import type { Ground } from '../ground/open-ground.ts';
import { measureEntry } from '../measure-entry.ts';
import type { Options } from '../read-options.ts';
import { atMost } from '../report/goal.ts';
import type { Scenario } from '../scenario.ts';

const LEAST_RATIO = 1.5;
const FAILURES_ALLOWED = 1;

/** The short form for CI: the ratio to the naive loop, like for like, may be too small in one of three tries, not in two. */
export const check: Scenario = async (ground, options) => {
  const texts: string[] = [];
  const goals = [];
  for (const mode of options.modes) {
    const ratios = await tryRatios(mode, ground, options);
    const failures = ratios.filter((ratio) => ratio < LEAST_RATIO).length;
    texts.push(
      `on ${mode}: turns/s of Pawl ÷ naive loop, neither with an API ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`,
    );
    goals.push(atMost(`on ${mode}: tries with a ratio under ${LEAST_RATIO}`, FAILURES_ALLOWED, failures));
  }
  return { text: texts.join('\n'), goals };
};

/** One try after the other, until the verdict is clear. */
async function tryRatios(mode: Mode, ground: Ground, { tries, turns, concurrency, alone, rounds }: Options) {
  const trial = { work: { rounds, thinkMs: 0 }, play: { turns, concurrency, alone } };
  const [pawl, naive] = [`engine-${mode}`, `naive-${mode}`].map((name) => entries.find((entry) => entry.name === name));
  const ratios: number[] = [];
  const isClear = () =>
    [true, false].some((isGood) => ratios.filter((ratio) => ratio >= LEAST_RATIO === isGood).length > FAILURES_ALLOWED);
  while (pawl && naive && ratios.length < tries && !isClear()) {
    const ours = await measureEntry(pawl, ground, trial);
    const theirs = await measureEntry(naive, ground, trial);
    ratios.push(ours.turnsPerSecond / theirs.turnsPerSecond);
  }
  return ratios;
}
