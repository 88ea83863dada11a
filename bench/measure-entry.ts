import type { Entry } from './contender.ts';
import { type Figures, measure, type Play } from './measure.ts';
import type { BenchHarness } from './open-harness.ts';
import type { Results } from './report/summarize.ts';
import type { Work } from './work.ts';

/** What a contender plays, how, and on which database; without one it gets an empty database of its own. */
type Trial = { work: Work; play: Play; databaseUrl?: string };

/** Opens a contender on an empty Redis, measures it and always closes it. */
async function measureEntry(entry: Entry, harness: BenchHarness, { work, play, ...given }: Trial): Promise<Figures> {
  await harness.redis?.clear();
  const databaseUrl = given.databaseUrl ?? (await harness.postgres.freshDatabase());
  const contender = await entry.open({ harness, databaseUrl, work });
  try {
    return await measure(contender, harness, play);
  } finally {
    await contender.close();
  }
}

/** One row of the results: a contender and what it plays. */
export type Contest = Trial & { name: string; entry: Entry };

/** Measures every contender once, then every one once more: what changes on the machine meanwhile changes for all. */
export async function measureInTurns(contests: Contest[], harness: BenchHarness, tries: number): Promise<Results> {
  const results: Results = new Map(contests.map(({ name }) => [name, []]));
  for (let number = 1; number <= tries; number += 1) {
    for (const { name, entry, ...trial } of contests) {
      const figures = await measureEntry(entry, harness, trial);
      results.get(name)?.push(figures);
      process.stderr.write(`  ${number}/${tries} ${name}: ${figures.turnsPerSecond.toFixed(0)} a second\n`);
    }
  }
  return results;
}
