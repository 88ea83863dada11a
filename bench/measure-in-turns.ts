import type { System } from './contender.ts';
import { type Figures, measure, type Play } from './measure.ts';
import type { BenchHarness } from './open-harness.ts';
import type { Results } from './report/summarize.ts';
import type { Work } from './work.ts';

/** One row of the results: a system, its turns, and its database, by default a new empty database. */
export type Contest = System & { work: Work; play: Play; databaseUrl?: string };

/** Measures every contender once, then all again: a change on the machine affects all contenders. */
export async function measureInTurns(contests: Contest[], harness: BenchHarness, tries: number): Promise<Results> {
  const results: Results = new Map(contests.map(({ name }) => [name, []]));
  for (let number = 1; number <= tries; number += 1) {
    for (const contest of contests) {
      const figures = await measureContest(contest, harness);
      results.get(contest.name)?.push(figures);
      process.stderr.write(`  ${number}/${tries} ${contest.name}: ${figures.turnsPerSecond.toFixed(0)} a second\n`);
    }
  }
  return results;
}

/** Opens a contender on an empty Redis, measures it and always closes it. */
async function measureContest({ mode, open, work, play, ...given }: Contest, harness: BenchHarness): Promise<Figures> {
  await harness.redis?.clear();
  const databaseUrl = given.databaseUrl ?? (await harness.postgres.freshDatabase());
  const contender = await open({ harness, databaseUrl, work, mode });
  try {
    return await measure(contender, harness, play);
  } finally {
    await contender.close();
  }
}
