import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { migrate, requireMigrated } from '#core/checkpoint/migrate.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { Misconfigured } from '#core/failure.ts';
import { createDatabase } from '#test/harness/stores/create-database.ts';
import { MIGRATION_NAMES } from '#test/harness/stores/migration-names.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

test('concurrent migrations of an empty database run once', async () => {
  const url = await createDatabase(inject('postgresUrl'), `empty_${randomBytes(6).toString('hex')}`);

  const applied = await use(url, (db) => Promise.all([migrate(db), migrate(db), migrate(db)]));

  expect(applied.flat()).toEqual(MIGRATION_NAMES);
  await use(url, requireMigrated);
});

test('a database that lacks a migration is refused with the command to run', async () => {
  const url = await createDatabase(inject('postgresUrl'), `empty_${randomBytes(6).toString('hex')}`);

  const refusal = use(url, requireMigrated);

  await expect(refusal).rejects.toThrow(
    new Misconfigured(`The database lacks ${MIGRATION_NAMES.join(', ')}. Run \`npm run migrate\` first.`),
  );
});

const LACKS = (named: string) => `(it has ${named}, which this version does not have). Use a version that has it.`;
const DIFFERS =
  '(its migration 0001-pawl differs from the migration of this version). Restore that file of the release, or use the ' +
  'version that created the database.';

test.each([
  ['a migration of another version', ['0000-older'], LACKS('the migration 0000-older')],
  ['migrations of another program', ['0000-older', '9000-newer'], LACKS('the migration 0000-older and 1 more')],
  ['a migration with the same name and another text', ['0001-pawl@0123456789abcdef'], DIFFERS],
  ['a migration without a hash', ['0001-pawl'], DIFFERS],
  ['an edited migration and a newer one', ['0001-pawl@0123456789abcdef', '9000-newer@0123456789abcdef'], DIFFERS],
])('a database with %s is refused by all parts with an instruction', async (_, names, why) => {
  const url = await createTestDatabase();
  await use(url, async (db) => {
    await sql`delete from kysely_migration`.execute(db);
    await addMigrations(db, names);
  });
  const sentence = `The database was created by another version of Pawl ${why}`;

  await expect(use(url, migrate)).rejects.toThrow(new Misconfigured(sentence));
  await expect(use(url, requireMigrated)).rejects.toThrow(new Misconfigured(sentence));
});

test('a version works on a database with newer additions, and its migration skips them', async () => {
  const url = await createTestDatabase();
  await use(url, (db) => addMigrations(db, ['9000-newer@0123456789abcdef']));

  await use(url, requireMigrated);
  const applied = await use(url, migrate);

  expect(applied).toEqual([]);
});

test('the recorded hash of a migration ignores line ends', async () => {
  const url = await createTestDatabase();

  const [row] = await use(
    url,
    async (db) => (await sql<{ name: string }>`select name from kysely_migration`.execute(db)).rows,
  );

  const text = readFileSync(new URL('../../migrations/0001-pawl.sql', import.meta.url), 'utf8').replaceAll(
    '\r\n',
    '\n',
  );
  expect(row?.name).toBe(`0001-pawl@${createHash('sha256').update(text).digest('hex').slice(0, 16)}`);
});

async function addMigrations(db: Db, names: string[]): Promise<void> {
  for (const name of names) await sql`insert into kysely_migration values (${name}, '2026-01-01')`.execute(db);
}

async function use<T>(url: string, act: (db: Db) => Promise<T>): Promise<T> {
  const { db, close } = connect(url, { shared: 1, own: 1 });
  return act(db).finally(close);
}
