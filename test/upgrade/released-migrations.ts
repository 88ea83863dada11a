import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { connect } from '#core/checkpoint/connect.ts';
import { RELEASES } from './release.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const LIST = new URL('migrations.json', RELEASES);

/** The hash of each migration by its file, in the release that has published it. */
export type ReleasedMigrations = Record<string, Record<string, string>>;

/** Reads the list of released migrations. */
export function readReleasedMigrations(): ReleasedMigrations {
  return existsSync(LIST) ? JSON.parse(readFileSync(LIST, 'utf8')) : {};
}

/** Enters the migrations that no other release has into the list, as migrations of this release. */
export function releaseMigrations(version: string): void {
  const { [version]: _, ...others } = readReleasedMigrations();
  const known = Object.values(others).flatMap((files) => Object.keys(files));
  const added = listMigrations().filter((file) => !known.includes(file));
  const entries = { ...others, [version]: Object.fromEntries(added.map((file) => [file, hashOf(file)])) };
  writeFileSync(LIST, `${JSON.stringify(entries, null, 2)}\n`);
}

/** Lists the migrations of this checkout, by name, that a release and all releases before do not have. */
export function listMigrationsAfter(version: string): string[] {
  const releases = Object.entries(readReleasedMigrations());
  const upTo = releases.slice(0, releases.findIndex(([released]) => released === version) + 1);
  const known = upTo.flatMap(([, files]) => Object.keys(files));
  return listMigrations().flatMap((file) => (known.includes(file) ? [] : file.replace('.sql', '')));
}

/** Returns a sentence for each released migration that has changed or is missing. */
export function findChangedMigrations(released: ReleasedMigrations): string[] {
  return Object.entries(released).flatMap(([version, files]) =>
    Object.entries(files).flatMap(([file, hash]) =>
      hashOf(file) === hash
        ? []
        : `migrations/${file} is not the file of release ${version}. Restore it, and add a new file for the change.`,
    ),
  );
}

/** Applies migrations to an empty database, as the release with only these files did. */
export async function applyMigrations(url: string, files: string[]): Promise<void> {
  const { db, close } = connect(url, { shared: 1, own: 1 });
  const up =
    (file: string): Migration['up'] =>
    async (trx) =>
      void (await sql.raw(textOf(file) ?? '').execute(trx));
  const migrations = Object.fromEntries(files.map((file) => [file, { up: up(file) }]));
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  await close();
  if (error) throw error;
}

function listMigrations(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.sql'))
    .sort();
}

/** Returns the hash of a migration, or null if the file is missing. Line endings of a checkout do not change it. */
function hashOf(file: string): string | null {
  const text = textOf(file);
  return text === null ? null : createHash('sha256').update(text).digest('hex');
}

function textOf(file: string): string | null {
  const path = new URL(file, MIGRATIONS);
  return existsSync(path) ? readFileSync(path, 'utf8').replaceAll('\r\n', '\n') : null;
}
