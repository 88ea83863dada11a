import { pawl } from '../contenders/pawl.ts';
import { fillWithFinished } from '../fill/fill-with-finished.ts';
import { type Contest, measureInTurns } from '../measure-in-turns.ts';
import type { BenchHarness } from '../open-harness.ts';
import type { Options } from '../read-options.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atLeast } from '../report/goal.ts';
import { ratio } from '../report/summarize.ts';

const GOAL = 0.9;

/** Whether a turn costs the same in a database that has seen very many. */
export async function oldDatabase(harness: BenchHarness, options: Options) {
  const { modes, turns, concurrency, tries, rounds, finished } = options;
  process.stderr.write(`  filling a database with ${finished} finished turns\n`);
  const old = await harness.postgres.keptDatabase('bench_old', (sql) => fillWithFinished(sql, finished));
  const shared = { open: pawl, work: { rounds, thinkMs: 0 }, play: { turns, concurrency, alone: 0 } };
  const contests = modes.flatMap((mode): Contest[] => [
    { name: `pawl-${mode}, empty`, mode, ...shared },
    { name: `pawl-${mode}, old`, mode, ...shared, databaseUrl: old },
  ]);
  const results = await measureInTurns(contests, harness, tries);
  const goals = modes.map((mode) => {
    const pair: [string, string] = [`pawl-${mode}, old`, `pawl-${mode}, empty`];
    return atLeast(`on ${mode}: turns/s with ${finished} finished turns ÷ with none`, GOAL, ratio(results, pair));
  });
  return { text: figuresTable(results), goals };
}
