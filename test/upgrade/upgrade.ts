import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { type Installation, openInstallation, openSurroundings, type Surroundings } from './installation.ts';
import { readPaths, readStatuses } from './read-answers.ts';
import type { Outcome, Reading, Recorded, Refusal } from './recorded.ts';
import { readRelease } from './release.ts';
import { takeOver } from './take-over.ts';
import { upgradeRelease } from './upgrade-release.ts';

/** An upgraded database, before and after a worker of the current code has worked on it. */
export type Upgraded = {
  recorded: Recorded;
  installation: Installation;
  surroundings: Surroundings;
  turns: number;
  applied: string[];
  before: Pick<Recorded, 'lasting' | 'passing' | 'refused'>;
  outcome: Outcome;
  after: Reading[];
};

type Upgrading = { version: string; redis: boolean; opened: AsyncDisposableStack };

/** Upgrades the database of a release, reads it, and lets the current code take it over. */
export async function upgrade({ version, redis, opened }: Upgrading): Promise<Upgraded> {
  const surroundings = opened.use(await openSurroundings());
  const { dump, recorded } = readRelease(version, surroundings);
  const name = `upgrade_${randomBytes(6).toString('hex')}`;
  const { url, applied } = await upgradeRelease(dump, { server: inject('postgresUrl'), name });
  const installation = opened.use(await openInstallation(url, { redis }));
  const read = (readings: Reading[]) => readPaths(installation, pathsOf(readings));
  const turns = await countRows(installation, 'turns');
  const before = {
    lasting: await read(recorded.lasting),
    passing: await read(recorded.passing),
    refused: await readStatuses(installation, pathsOf(recorded.refused)),
  };
  const outcome = await takeOver(installation, surroundings);
  const after = await read(recorded.lasting);
  return { recorded, installation, surroundings, turns, applied, before, outcome, after };
}

function pathsOf(readings: Refusal[]): string[] {
  return readings.map(({ path }) => path);
}

/** Counts the rows of a table. */
export async function countRows({ harness }: Installation, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(
    harness.db,
  );
  return rows[0]?.count ?? 0;
}
