import { pawl } from '../contenders/pawl.ts';
import { measureInTurns } from '../measure-in-turns.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atLeast } from '../report/goal.ts';
import { ratio } from '../report/summarize.ts';
import type { Scenario } from '../scenario.ts';

const COUNTS = [1, 2, 4];
const GOAL = 1.8;
const WORK = { rounds: 4, thinkMs: 50 };

/** So few that the places bind and not the processor, which all workers share here. */
const PLACES = 4;

/** What more workers bring where the time goes into the model, which takes 50 ms. */
export const workers: Scenario = async (ground, { modes, turns, concurrency, tries }) => {
  const contests = modes.flatMap((mode) =>
    COUNTS.map((count) => {
      const parts = ['api' as const, ...Array.from({ length: count }, () => 'worker' as const)];
      const deployment = { parts, env: { PAWL_WORKER_CONCURRENCY: String(PLACES) } };
      const name = `pawl-${mode}, ${count} worker${count === 1 ? '' : 's'}`;
      const entry = {
        name,
        kind: 'system' as const,
        mode,
        open: (site: Parameters<typeof pawl>[0]) => pawl(site, mode, deployment),
      };
      return { name, entry, work: WORK, play: { turns, concurrency, alone: 0 } };
    }),
  );
  const results = await measureInTurns(contests, ground, tries);
  const goals = modes.map((mode) => {
    const pair: [string, string] = [`pawl-${mode}, 2 workers`, `pawl-${mode}, 1 worker`];
    return atLeast(`on ${mode}: turns/s of two workers ÷ of one`, GOAL, ratio(results, pair));
  });
  return {
    text: `${PLACES} steps at once for each worker, a model that takes ${WORK.thinkMs} ms.\n${figuresTable(results)}`,
    goals,
  };
};
