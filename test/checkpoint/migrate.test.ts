import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { migrate, requireMigrated } from '#core/checkpoint/migrate.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { Misconfigured } from '#core/failure.ts';
import { createDatabase } from '#test/harness/stores/create-database.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

test('an empty database is migrated once, by however many at the same moment', async () => {
  const url = await createDatabase(inject('postgresUrl'), `empty_${randomBytes(6).toString('hex')}`);

  const applied = await use(url, (db) => Promise.all([migrate(db), migrate(db), migrate(db)]));

  expect(applied.flat()).toEqual(['0001-pawl', '0002-tools-of-workers']);
  await use(url, requireMigrated);
});

test('a database that lacks a migration is refused with what to run', async () => {
  const url = await createDatabase(inject('postgresUrl'), `empty_${randomBytes(6).toString('hex')}`);

  const refusal = use(url, requireMigrated);

  await expect(refusal).rejects.toThrow(
    new Misconfigured('The database lacks 0001-pawl, 0002-tools-of-workers. Run `npm run migrate` first.'),
  );
});

test.each([
  ['a migration', ['0000-older'], 'the migration 0000-older'],
  ['migrations', ['0000-older', '0002-newer'], 'the migration 0000-older and 1 more'],
])(
  'a database that has %s of another version instead is refused in one sentence that says what to do',
  async (_, names, named) => {
    const url = await createTestDatabase();
    await use(url, async (db) => {
      await sql`delete from kysely_migration`.execute(db);
      await addMigrations(db, names);
    });
    const sentence =
      `The database was made by another version of Pawl (it holds ${named}, which this version does not have): ` +
      'use that version, or start anew with an empty database (standalone: remove its data folder, ' +
      'Docker Compose: `docker compose down --volumes`).';

    await expect(use(url, migrate)).rejects.toThrow(new Misconfigured(sentence));
    await expect(use(url, requireMigrated)).rejects.toThrow(new Misconfigured(sentence));
  },
);

test('the parts start on a database that a newer version has migrated on, which only that version migrates', async () => {
  const url = await createTestDatabase();
  await use(url, (db) => addMigrations(db, ['0002-newer']));

  await use(url, requireMigrated);

  await expect(use(url, migrate)).rejects.toThrow(/^The database was made by another version of Pawl .*0002-newer/);
});

async function addMigrations(db: Db, names: string[]): Promise<void> {
  for (const name of names) await sql`insert into kysely_migration values (${name}, '2026-01-01')`.execute(db);
}

async function use<T>(url: string, act: (db: Db) => Promise<T>): Promise<T> {
  const { db, close } = connect(url, { shared: 1, own: 1 });
  return act(db).finally(close);
}
