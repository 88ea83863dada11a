import { readFileSync, writeFileSync } from 'node:fs';
import { migrateAll } from '#services/migrate/migrate-all.ts';
import { isoAgo } from '#test/harness/moments.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { createDatabase } from '#test/harness/stores/create-database.ts';
import { openPostgres } from '#test/harness/stores/open-postgres.ts';
import { dumpRows } from './dump-rows.ts';
import { openInstallation, openSurroundings, type Surroundings } from './installation.ts';
import { readLasting, readPassing, readRefused } from './read-answers.ts';
import type { Outcome, Reading, Recorded } from './recorded.ts';
import { moveRelease, nameServers, RELEASES } from './release.ts';
import { releaseMigrations } from './released-migrations.ts';
import { fillAgents } from './scenes/fill-agents.ts';
import { answerBatch, fillBatches } from './scenes/fill-batches.ts';
import { fillEnded } from './scenes/fill-ended.ts';
import { fillRunning } from './scenes/fill-running.ts';
import { fillWaiting } from './scenes/fill-waiting.ts';
import type { Filling } from './scenes/filling.ts';
import { distanceToAnHourAgo } from './shift-moments.ts';
import { takeOver } from './take-over.ts';
import { upgradeRelease } from './upgrade-release.ts';

/** Writes the dump and the record of the version in package.json, and the hashes of its migrations. */
const root = new URL('../../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
const changelog = readFileSync(new URL('CHANGELOG.md', root), 'utf8');
if (new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d`, 'm').test(changelog)) {
  console.error(`${version} is released, so its dump never changes. Set the version of the next release first.`);
  process.exit(1);
}

await writeRelease();
// Timeouts that the harness leaves would keep the process for two minutes.
process.exit();

async function writeRelease(): Promise<void> {
  await using folder = await newFolder('release');
  await using postgres = await openPostgres({ folder: folder.path, durable: false });
  const { dump, recorded } = await fillAndDump(await createDatabase(postgres.url, 'filled'));
  const outcome = await playOut({ dump, recorded }, postgres.url);
  writeFileSync(new URL(`${version}.jsonl`, RELEASES), dump);
  writeFileSync(new URL(`${version}.json`, RELEASES), render({ ...recorded, outcome }));
  releaseMigrations(version);
  console.log(`${version}: ${dump.split('\n').length} rows, ${Object.keys(outcome.ends).length} scenes`);
}

/** The rows of a filled database, and the answers of its API. */
type Filled = { dump: string; recorded: Omit<Recorded, 'outcome'> };

/** Brings a database into every state. Returns its rows, and the answers of the API to be kept. */
async function fillAndDump(database: string): Promise<Filled> {
  await migrateAll(database);
  await using surroundings = await openSurroundings();
  await using installation = await openInstallation(database, { shared: false });
  const filling: Filling = { ...surroundings, ...installation };
  await fillEnded(filling);
  await fillAgents(filling);
  await fillWaiting(filling);
  await fillBatches(filling);
  await using _dying = await fillRunning(filling);
  await answerBatch(filling);
  const recorded = {
    dumpedAt: isoAgo(0),
    keys: keysOf(surroundings),
    lasting: requireAnswers(await readLasting(installation)),
    passing: requireAnswers(await readPassing(installation)),
    refused: await readRefused(installation),
  };
  const named = (text: string) => nameServers(text, surroundings);
  return { dump: named(await dumpRows(database)), recorded: JSON.parse(named(JSON.stringify(recorded))) };
}

/** Throws if a reading is a refusal, since a record of its error would hide a wrong path. */
function requireAnswers(readings: Reading[]): Reading[] {
  for (const { path, status, body } of readings)
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return readings;
}

/** Lets this version itself upgrade the dump. Returns the outcome, which later versions must reach too. */
async function playOut({ dump, recorded }: Filled, server: string): Promise<Outcome> {
  await using surroundings = await openSurroundings();
  const byMs = distanceToAnHourAgo(recorded.dumpedAt);
  const moved = moveRelease({ dump, recorded: JSON.stringify(recorded), byMs }, surroundings);
  const { url } = await upgradeRelease(moved.dump, { server, name: 'taken_over' });
  await using installation = await openInstallation(url);
  return await takeOver(installation, surroundings);
}

function keysOf({ tools }: Surroundings): Record<string, string[]> {
  const calls = Map.groupBy(tools.calls, ({ mark }) => mark);
  return Object.fromEntries([...calls].map(([mark, called]) => [mark, called.map(({ key }) => key)]));
}

/** Renders a record with a line for each reading, so that a reader can compare two versions. */
function render({ lasting, passing, ...others }: Recorded): string {
  const lines = (readings: Reading[]) => `[\n${readings.map((reading) => JSON.stringify(reading)).join(',\n')}\n]`;
  const head = JSON.stringify(others, null, 1).replace(/\n\}$/, '');
  return `${head},\n "lasting": ${lines(lasting)},\n "passing": ${lines(passing)}\n}\n`;
}
