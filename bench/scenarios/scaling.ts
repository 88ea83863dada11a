import { availableParallelism } from 'node:os';
import { fillWithFinished } from '../fill/fill-with-finished.ts';
import { measureInTurns } from '../measure-entry.ts';
import type { BenchHarness } from '../open-harness.ts';
import { figuresTable } from '../report/figures-table.ts';
import { atMost } from '../report/goal.ts';
import { compare, curvesTable, errorsOf } from '../scaling/compare.ts';
import { planTables } from '../scaling/plan-table.ts';
import { type OldDatabases, pointsOf } from '../scaling/points.ts';
import { probeFsync } from '../scaling/probe-fsync.ts';
import type { Scenario } from '../scenario.ts';

/** Today's load, by which 10, 100 and 1,000 times it are meant: turns a second, and a model of two seconds. */
const TODAY = { perSecond: 10, thinkMs: 2_000 };
/** Of the simulation, in the middle of all points. */
const ERROR_GOAL = 0.25;

/** How turns a second change with what there is of everything, beside a simulation that is fed with two of the points. */
export const scaling: Scenario = async (harness, options) => {
  const { modes, turns, concurrency, rounds, tries, price } = options;
  const old = await openOldDatabases(harness, options.finished);
  const fsyncMs = await probeFsync(await harness.postgres.freshDatabase());
  const cores = availableParallelism();
  const curves = modes.map((mode) => pointsOf({ mode, turns, concurrency, rounds, fsyncMs, cores }, old));
  const contests = curves.flat().map(({ name, contest }) => ({ name, ...contest }));
  const results = await measureInTurns(contests, harness, tries);

  const comparisons = curves.map((points) => ({ points, comparison: compare(points, results) }));
  const found = comparisons.map(({ comparison }, index) => {
    const mode = modes[index] ?? 'redis';
    const [calibration] = comparison.calibrations;
    const demand = { ...TODAY, mode, rounds, fsyncMs };
    return `${mode}\n${curvesTable(comparison)}\n\n${calibration ? planTables(calibration.costs, demand, price) : ''}`;
  });
  const goals = comparisons.flatMap(({ comparison }, index) => {
    const { rate, cpu } = errorsOf(comparison);
    const goal = (what: string, { middle, largest }: { middle: number; largest: number }) =>
      atMost(
        `on ${modes[index]}: error of the simulation, ${what}, middle (largest ${largest.toFixed(2)})`,
        ERROR_GOAL,
        middle,
      );
    return [goal('turns/s', rate), goal('CPU of a turn', cpu)];
  });
  const heads = `A commit waits ${fsyncMs.toFixed(2)} ms for the disk. Each point: the middle of ${tries}.`;
  return { text: [figuresTable(results), heads, ...found].join('\n\n'), goals };
};

const OLDER_BY = 10;

/** Two databases, the second with ten times the turns of the first. */
async function openOldDatabases({ postgres }: BenchHarness, finished: number): Promise<OldDatabases> {
  const old: OldDatabases = [];
  for (const turns of new Set([Math.ceil(finished / OLDER_BY), finished])) {
    process.stderr.write(`  filling a database with ${turns} finished turns\n`);
    const url = await postgres.keptDatabase(`bench_old_${turns}`, (sql) => fillWithFinished(sql, turns));
    old.push({ finished: turns, url });
  }
  return old;
}
