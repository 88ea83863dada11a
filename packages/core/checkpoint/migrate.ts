import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { Misconfigured } from '../failure.ts';
import { read } from '../postgres/read-write.ts';
import { requirePrivileges, requireServer } from './require-server.ts';
import type { Db } from './tables.ts';

const FOLDER = new URL('../../../migrations/', import.meta.url);

/**
 * Brings the schema up to date and answers which migrations that took; safe while others do the same. A schema to which a
 * newer version has added is left as it is.
 */
export async function migrate(db: Db): Promise<string[]> {
  await requireServer(db);
  if ((await missingMigrations(db)).length === 0) return [];
  const migrations = await ownMigrations();
  const { error, results = [] } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest();
  if (error) throw error;
  return results.map(({ migrationName }) => fileOf(migrationName));
}

/** Refuses a database on which the parts of this version cannot work. They never migrate by themselves. */
export async function requireMigrated(db: Db): Promise<void> {
  await requireServer(db);
  await requireSchema(db);
  const migrations = await ownMigrations();
  await requirePrivileges(
    db,
    Object.values(migrations).flatMap(({ tables }) => tables),
  );
}

/**
 * Refuses a schema that lacks a migration. If a newer version has added its own, the parts of this version still work, so
 * that a rolling update or its way back is no outage.
 */
export async function requireSchema(db: Db): Promise<void> {
  const missing = await missingMigrations(db);
  if (missing.length === 0) return;
  throw new Misconfigured(`The database lacks ${missing.join(', ')}. Run \`npm run migrate\` first.`);
}

/**
 * Lists the migrations of this version that a database lacks. Refuses a database of another line: it holds a migration
 * that this version has not, and that is not simply newer.
 */
async function missingMigrations(db: Db): Promise<string[]> {
  const own = Object.keys(await ownMigrations());
  const applied = await appliedMigrations(db);
  const missing = own.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !own.includes(name));
  const isNewer = missing.length === 0 && unknown.every((name) => name > (own.at(-1) ?? ''));
  if (unknown.length > 0 && !isNewer) throw new Misconfigured(otherVersion(unknown.map(fileOf), own.map(fileOf)));
  return missing.map(fileOf);
}

function otherVersion(unknown: string[], own: string[]): string {
  const edited = unknown.find((file) => own.includes(file));
  const [first, ...others] = unknown;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const why = edited
    ? `its migration ${edited} differs from that of this version`
    : `it holds the migration ${first}${more}, which this version does not have`;
  return (
    `The database was made by another version of Pawl (${why}). Use that version, or start anew with an empty database ` +
    '(standalone: remove its data folder, Docker Compose: `docker compose down --volumes`).'
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

/** What stands between the file of a migration and its hash in the name that a database records. */
const BEFORE_HASH = '@';
const HASH_LENGTH = 16;

/** A database records the hash of a migration with its name: an edited migration is another one. */
function nameOf(file: string, text: string): string {
  return `${file}${BEFORE_HASH}${createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH)}`;
}

function fileOf(name: string): string {
  return name.split(BEFORE_HASH)[0] ?? name;
}

/** A migration, and the tables that it makes. */
type OwnMigration = Migration & { tables: string[] };

let known: Promise<Record<string, OwnMigration>> | undefined;

/** The migrations of this version by their names, read once. */
function ownMigrations(): Promise<Record<string, OwnMigration>> {
  known ??= readMigrations();
  return known;
}

async function readMigrations(): Promise<Record<string, OwnMigration>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort();
  const entries = files.map(async (file): Promise<[string, OwnMigration]> => {
    // A checkout with other line ends has the same migrations.
    const text = (await readFile(new URL(file, FOLDER), 'utf8')).replaceAll('\r\n', '\n');
    const tables = [...text.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, table = '']) => table);
    // PostgreSQL runs all statements of a message without parameters.
    const up: Migration['up'] = async (db) => void (await sql.raw(text).execute(db));
    return [nameOf(file.replace('.sql', ''), text), { tables, up }];
  });
  return Object.fromEntries(await Promise.all(entries));
}
