import type { Entry } from './contender.ts';
import type { Ground } from './ground/open-ground.ts';
import { measureEntry, type Trial } from './measure-entry.ts';
import type { Results } from './report/summarize.ts';

/** One row of the results: who plays what. */
export type Contest = Trial & { name: string; entry: Entry };

/** Measures everybody once, then everybody once more: what changes on the machine meanwhile changes for all. */
export async function measureInTurns(contests: Contest[], ground: Ground, tries: number): Promise<Results> {
  const results: Results = new Map(contests.map(({ name }) => [name, []]));
  for (let number = 1; number <= tries; number += 1) {
    for (const { name, entry, ...trial } of contests) {
      const figures = await measureEntry(entry, ground, trial);
      results.get(name)?.push(figures);
      process.stderr.write(`  ${number}/${tries} ${name}: ${figures.turnsPerSecond.toFixed(0)} a second\n`);
    }
  }
  return results;
}
