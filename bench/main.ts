import { mkdir } from 'node:fs/promises';
import type { Entry } from './contender.ts';
import { entries } from './entries.ts';
import { type Ground, openGround } from './ground/open-ground.ts';
import { type Figures, measure } from './measure.ts';
import { type Options, readOptions } from './read-options.ts';
import { describeRun } from './report/describe-run.ts';
import { report } from './report/report.ts';
import type { Results } from './report/summarize.ts';

await main(readOptions(process.argv.slice(2)));

async function main(options: Options): Promise<void> {
  if (options.profile) await mkdir(options.profile, { recursive: true });
  await using ground = await openGround({ profileFolder: options.profile });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void ground[Symbol.asyncDispose]().then(() => process.exit(130)));
  }
  console.log(`${describeRun(ground, options)}\n`);
  console.log(report(await measureAll(ground, options)));
}

/** Everything once, then everything once more: what changes on the machine meanwhile changes for all. */
async function measureAll(ground: Ground, options: Options): Promise<Results> {
  const chosen = entries.filter((entry) => isChosen(entry, options) && (ground.redis || !entry.needsRedis));
  const results: Results = new Map(chosen.map(({ name }) => [name, []]));
  for (let repeat = 1; repeat <= options.repeat; repeat += 1) {
    for (const entry of chosen) {
      const figures = await measureOne(entry, ground, options);
      results.get(entry.name)?.push(figures);
      process.stderr.write(
        `  ${repeat}/${options.repeat} ${entry.name}: ${figures.turnsPerSecond.toFixed(0)} turns/s\n`,
      );
    }
  }
  return results;
}

function isChosen({ name }: Entry, { only }: Options): boolean {
  return only.length === 0 || only.some((wanted) => name.startsWith(wanted));
}

async function measureOne(entry: Entry, ground: Ground, load: Options): Promise<Figures> {
  const contender = await entry.open(ground);
  try {
    return await measure(contender, ground, load);
  } finally {
    await contender.close();
  }
}
