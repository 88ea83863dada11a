import { pawlEntry } from '../entries.ts';
import { measureInTurns } from '../measure-entry.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atLeast } from '../report/goal.ts';
import { ratio } from '../report/summarize.ts';
import type { Scenario } from '../scenario.ts';

const SHORT_ROUNDS = 4;
const LONG_ROUNDS = 20;
const GOAL = 0.18;

/**
 * What a turn of many rounds costs beside one of few: its jobs, each no dearer than in a short turn. Both are as many turns:
 * few long ones would often leave some of the concurrency unused.
 */
export const longTurns: Scenario = async (harness, { modes, turns, concurrency, tries }) => {
  const contests = modes.flatMap((mode) =>
    [SHORT_ROUNDS, LONG_ROUNDS].map((rounds) => ({
      name: `pawl-${mode}, ${rounds} rounds`,
      entry: pawlEntry(mode),
      work: { rounds, thinkMs: 0 },
      play: { turns, concurrency, alone: 0 },
    })),
  );
  const results = await measureInTurns(contests, harness, tries);
  const goals = modes.map((mode) => {
    const pair: [string, string] = [`pawl-${mode}, ${LONG_ROUNDS} rounds`, `pawl-${mode}, ${SHORT_ROUNDS} rounds`];
    return atLeast(`on ${mode}: turns/s of ${LONG_ROUNDS} rounds ÷ of ${SHORT_ROUNDS}`, GOAL, ratio(results, pair));
  });
  return { text: figuresTable(results), goals };
};
