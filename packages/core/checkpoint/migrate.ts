import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { Misconfigured } from '../failure.ts';
import { read } from '../postgres/read-write.ts';
import type { Db } from './tables.ts';

const FOLDER = new URL('../../../migrations/', import.meta.url);

/** Brings the schema up to date and answers which migrations that took; safe while others do the same. */
export async function migrate(db: Db): Promise<string[]> {
  await refuseUnknownMigrations(db);
  const { error, results = [] } = await migrator(db).migrateToLatest();
  if (error) throw error;
  return results.map(({ migrationName }) => migrationName);
}

/**
 * Refuses a schema that lacks a migration: the parts never migrate by themselves. Where a newer version has added its
 * own, the parts of this one still start, so that a rolling update or its way back is no outage.
 */
export async function requireMigrated(db: Db): Promise<void> {
  const missing = (await migrator(db).getMigrations()).filter((migration) => !migration.executedAt);
  if (missing.length === 0) return;
  await refuseUnknownMigrations(db);
  throw new Misconfigured(
    `The database lacks ${missing.map(({ name }) => name).join(', ')}. Run \`npm run migrate\` first.`,
  );
}

/** Where another version has migrated a database, this one cannot: its migrations belong to other tables. */
async function refuseUnknownMigrations(db: Db): Promise<void> {
  const files = Object.keys(await getMigrations());
  const applied = await appliedMigrations(db);
  const unknown = applied.filter((name) => !files.includes(name));
  if (unknown.length === 0) return;
  throw new Misconfigured(
    `The database was made by another version of Pawl (it holds ${nameSome(unknown)}, which this version does not have): ` +
      'use that version, or start anew with an empty database (standalone: remove its data folder, ' +
      'Docker Compose: `docker compose down --volumes`).',
  );
}

async function appliedMigrations(db: Db): Promise<string[]> {
  const [table] = await read(
    db,
    sql<{ exists: boolean }>`select to_regclass('kysely_migration') is not null as exists`,
  );
  if (!table?.exists) return [];
  const rows = await read(db, sql<{ name: string }>`select name from kysely_migration order by name`);
  return rows.map(({ name }) => name);
}

function nameSome([first, ...others]: string[]): string {
  return others.length === 0 ? `the migration ${first}` : `the migration ${first} and ${others.length} more`;
}

function migrator(db: Db): Migrator {
  return new Migrator({ db, provider: { getMigrations } });
}

async function getMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort();
  const entries = files.map(async (file): Promise<[string, Migration]> => {
    const statements = (await readFile(new URL(file, FOLDER), 'utf8')).split(/;\s*$/m).filter((text) => text.trim());
    return [file.replace('.sql', ''), { up: (db) => runAll(db, statements) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function runAll(db: Parameters<Migration['up']>[0], statements: string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
