import postgres from 'postgres';
import type { ContenderSetup } from '../contender.ts';
import { pawl } from '../contenders/pawl.ts';
import { fillWithFinished } from '../fill/fill-with-finished.ts';
import { measureInTurns } from '../measure-entry.ts';
import type { Mode } from '../mode.ts';
import type { BenchHarness } from '../open-harness.ts';
import type { Options } from '../read-options.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atMost } from '../report/goal.ts';
import { type Reading, type Results, ratio } from '../report/summarize.ts';
import type { Scenario } from '../scenario.ts';

const MOST_AGED = 100_000;
const GOAL = 1.5;

/** The turns in the database ended thirty days ago. */
const SWEEPING = { PAWL_RETENTION_DAYS: '7', PAWL_RETENTION_SWEEP_MS: '100' };

const p99: Reading = ({ loaded }) => loaded.p99Ms;

/** What turns notice of a sweep that erases very many beside them: the same load, in as old a database that is kept. */
export const retention: Scenario = async (harness, options) => {
  const results: Results = new Map();
  const left: string[] = [];
  for (let number = 1; number <= options.tries; number += 1) {
    for (const mode of options.modes) {
      for (const isSwept of [false, true]) {
        const { name, turns } = await measureOne(harness, { options, results, mode, isSwept, number });
        if (isSwept) left.push(`${name}: ${turns} turns in the database at the end of try ${number}`);
      }
    }
  }
  const goals = options.modes.map((mode) => {
    const pair: [string, string] = [nameOf(mode, true), nameOf(mode, false)];
    return atMost(`on ${mode}: p99 of a turn beside a sweep ÷ without`, GOAL, ratio(results, pair, p99));
  });
  return { text: `${figuresTable(results)}\n\n${left.join('\n')}`, goals };
};

type One = { options: Options; results: Results; mode: Mode; isSwept: boolean; number: number };

/** Measures on a database of its own, for a sweep leaves none to the next. Returns how many turns it has in the end. */
async function measureOne(
  harness: BenchHarness,
  { options, results, mode, isSwept, number }: One,
): Promise<{ name: string; turns: number }> {
  const { turns, concurrency, rounds, finished } = options;
  const name = nameOf(mode, isSwept);
  const databaseUrl = await harness.postgres.keptDatabase(
    `bench_${mode}_${isSwept ? 'swept' : 'kept'}_${number}`,
    (sql) => fillWithFinished(sql, Math.min(finished, MOST_AGED)),
  );
  const open = (setup: ContenderSetup) => pawl(setup, mode, isSwept ? { env: SWEEPING } : {});
  const trial = { work: { rounds, thinkMs: 0 }, play: { turns, concurrency, alone: 0 }, databaseUrl };
  const measured = await measureInTurns([{ name, entry: { name, kind: 'system', mode, open }, ...trial }], harness, 1);
  results.set(name, [...(results.get(name) ?? []), ...(measured.get(name) ?? [])]);
  return { name, turns: await countTurns(databaseUrl) };
}

function nameOf(mode: Mode, isSwept: boolean): string {
  return `pawl-${mode}, ${isSwept ? 'sweeping' : 'keeping'}`;
}

async function countTurns(databaseUrl: string): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from turns`;
  await sql.end();
  return row?.count ?? 0;
}
