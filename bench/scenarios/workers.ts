import { pawl } from '../contenders/pawl.ts';
import { measureInTurns } from '../measure-entry.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atLeast } from '../report/goal.ts';
import { ratio } from '../report/summarize.ts';
import type { Scenario } from '../scenario.ts';

const COUNTS = [1, 2, 4];
const GOAL = 1.8;
const WORK = { rounds: 4, thinkMs: 50 };

/** So few that they are the limit and not the processor, which all workers share here. */
const CONCURRENCY = 4;

/** What more workers gain where the model, which takes 50 ms, needs most of the time. */
export const workers: Scenario = async (harness, { modes, turns, concurrency, tries }) => {
  const contests = modes.flatMap((mode) =>
    COUNTS.map((count) => {
      const parts = ['api' as const, ...Array.from({ length: count }, () => 'worker' as const)];
      const deployment = { parts, env: { PAWL_WORKER_CONCURRENCY: String(CONCURRENCY) } };
      const name = `pawl-${mode}, ${count} worker${count === 1 ? '' : 's'}`;
      const entry = {
        name,
        kind: 'system' as const,
        mode,
        open: (setup: Parameters<typeof pawl>[0]) => pawl(setup, mode, deployment),
      };
      return { name, entry, work: WORK, play: { turns, concurrency, alone: 0 } };
    }),
  );
  const results = await measureInTurns(contests, harness, tries);
  const goals = modes.map((mode) => {
    const pair: [string, string] = [`pawl-${mode}, 2 workers`, `pawl-${mode}, 1 worker`];
    return atLeast(`on ${mode}: turns/s of two workers ÷ of one`, GOAL, ratio(results, pair));
  });
  return {
    text: `${CONCURRENCY} steps at once for each worker, a model that takes ${WORK.thinkMs} ms.\n${figuresTable(results)}`,
    goals,
  };
};
