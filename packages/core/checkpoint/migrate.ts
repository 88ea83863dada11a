import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { Misconfigured } from '../failure.ts';
import { read } from '../postgres/read-write.ts';
import { isSchemaFault } from '../postgres/refusal.ts';
import { isTransient } from '../postgres/retry-transient.ts';
import { migratedTables } from './migrated-tables.ts';
import { requirePrivileges, requireServer } from './require-server.ts';
import type { Db } from './tables.ts';

const FOLDER = new URL('../../../migrations/', import.meta.url);

/**
 * Updates the schema and returns the applied migrations. Several processes may call this at once. Does not change a
 * schema that a newer version has extended.
 */
export async function migrate(db: Db): Promise<string[]> {
  await requireServer(db);
  if ((await compareMigrations(db)).missing.length === 0) return [];
  const migrations = await ownMigrations();
  const { error, results = [] } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest();
  if (error) throw migrationFailure(error, results.find(({ status }) => status === 'Error')?.migrationName);
  return results.map(({ migrationName }) => fileOf(migrationName));
}

/**
 * Names the migration that PostgreSQL refuses, such as a CHECK that a row breaks. Other failures pass, or depend on the
 * role and the server: they stay as they are.
 */
function migrationFailure(error: unknown, name: string | undefined): unknown {
  if (name === undefined || isTransient(error) || !(error instanceof Error && 'code' in error)) return error;
  if (isSchemaFault(error) || !('severity' in error)) return error;
  return new Misconfigured(
    `The migration ${fileOf(name)} failed (${error.code}: ${error.message}). The database is unchanged. Correct ` +
      'the cause, or start the version before and report the failure.',
  );
}

/**
 * Refuses a database that this version cannot use. Returns the migrations that a newer version has added. Servers and
 * workers never migrate automatically.
 */
export async function requireMigrated(db: Db): Promise<string[]> {
  await requireServer(db);
  const newer = await requireSchema(db);
  const migrations = Object.values(await ownMigrations());
  await requirePrivileges(db, migratedTables(migrations.map(({ text }) => text)));
  return newer;
}

/**
 * Refuses a schema that lacks a migration. Accepts newer migrations and returns them, so that a rolling update or its
 * rollback causes no outage.
 */
export async function requireSchema(db: Db): Promise<string[]> {
  const { missing, newer } = await compareMigrations(db);
  if (missing.length === 0) return newer;
  throw new Misconfigured(`The database lacks ${missing.join(', ')}. Run \`npm run migrate\` first.`);
}

/**
 * Lists the migrations of this version that a database lacks, and the newer migrations that it has. Refuses a database
 * with an unknown migration that is not simply newer.
 */
async function compareMigrations(db: Db): Promise<{ missing: string[]; newer: string[] }> {
  const own = Object.keys(await ownMigrations());
  const applied = await appliedMigrations(db);
  const missing = own.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !own.includes(name));
  const isNewer = missing.length === 0 && unknown.every((name) => name > (own.at(-1) ?? ''));
  if (unknown.length > 0 && !isNewer) throw new Misconfigured(otherVersion(unknown.map(fileOf), own.map(fileOf)));
  return { missing: missing.map(fileOf), newer: unknown.map(fileOf) };
}

function otherVersion(unknown: string[], own: string[]): string {
  const edited = unknown.find((file) => own.includes(file));
  const [first, ...others] = unknown;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const why = edited
    ? `its migration ${edited} differs from the migration of this version`
    : `it has the migration ${first}${more}, which this version does not have`;
  return (
    `The database was created by another version of Pawl (${why}). ` +
    (edited
      ? 'Restore that file of the release, or use the version that created the database.'
      : 'Use a version that has it.')
  );
}

async function appliedMigrations(db: Db): Promise<string[]> {
  try {
    const rows = await read(db, sql<{ name: string }>`select name from kysely_migration order by name`);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NO_TABLE) return [];
    throw error;
  }
}

/** The SQLSTATE of a table that does not exist. */
const NO_TABLE = '42P01';

/** The separator of a migration's file name and its hash in the name that a database records. */
const BEFORE_HASH = '@';
const HASH_LENGTH = 16;

/**
 * Returns the recorded name of a migration. It contains the text's hash, so an edited migration is a different
 * migration.
 */
function nameOf(file: string, text: string): string {
  return `${file}${BEFORE_HASH}${createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH)}`;
}

function fileOf(name: string): string {
  return name.split(BEFORE_HASH)[0] ?? name;
}

type OwnMigration = Migration & { text: string };

let known: Promise<Record<string, OwnMigration>> | undefined;

/** Returns the migrations of this version by name, read once. */
function ownMigrations(): Promise<Record<string, OwnMigration>> {
  known ??= readMigrations();
  return known;
}

async function readMigrations(): Promise<Record<string, OwnMigration>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort();
  const entries = files.map(async (file): Promise<[string, OwnMigration]> => {
    // Line endings of a checkout do not change a migration.
    const text = (await readFile(new URL(file, FOLDER), 'utf8')).replaceAll('\r\n', '\n');
    // PostgreSQL runs all statements of a message without parameters.
    const up: Migration['up'] = async (db) => void (await sql.raw(text).execute(db));
    return [nameOf(file.replace('.sql', ''), text), { text, up }];
  });
  return Object.fromEntries(await Promise.all(entries));
}
