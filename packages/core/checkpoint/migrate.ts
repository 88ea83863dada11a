import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { Misconfigured } from '../failure.ts';
import type { Db } from './database.ts';

const FOLDER = new URL('../../../migrations/', import.meta.url);

/** Brings the schema up to date and answers which migrations that took; safe while others do the same. */
export async function migrate(db: Db): Promise<string[]> {
  const { error, results = [] } = await migrator(db).migrateToLatest();
  if (error) throw error;
  return results.map(({ migrationName }) => migrationName);
}

/** Refuses a schema that lacks a migration: the parts never migrate by themselves. */
export async function requireMigrated(db: Db): Promise<void> {
  const missing = (await migrator(db).getMigrations()).filter((migration) => !migration.executedAt);
  if (missing.length === 0) return;
  throw new Misconfigured(
    `The database lacks ${missing.map(({ name }) => name).join(', ')}. Run \`npm run migrate\` first.`,
  );
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
