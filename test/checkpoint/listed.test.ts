import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { listed } from '#core/checkpoint/sql/listed.ts';
import { newId } from '#core/id.ts';
import { dropDatabase } from '#test/harness/stores/create-database.ts';
import { runStatement } from '#test/harness/stores/run-statement.ts';

test.each(['en', 'et'])('a list returns all its ids in a database with the collation %s', async (language) => {
  const name = `sorted_${randomBytes(6).toString('hex')}`;
  const server = inject('postgresUrl');
  await runStatement(
    server,
    `create database "${name}" template template0 locale_provider icu icu_locale '${language}'`,
  );
  const url = new URL(server);
  url.pathname = `/${name}`;
  const { db, close } = connect(url.href);
  const ids = [newId('turn'), newId('conv'), newId('evt')];

  const { rows } = await sql<{ value: string }>`${listed(ids)}`.execute(db).finally(close);
  await dropDatabase(server, name);

  expect(rows.map(({ value }) => value)).toEqual(ids);
});
