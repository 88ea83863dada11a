import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { migratedTables } from '#core/checkpoint/migrated-tables.ts';

test('tables of all migrations are known, without tables that a migration drops', () => {
  const first = 'create table kept (id text);\ncreate unlogged table dropped (id text);\n';
  const second = 'create table if not exists added (id text);\ndrop table dropped;\n';

  expect(migratedTables([first, second])).toEqual(['kept', 'added']);
});

test('the tables of the first migration are known', () => {
  const text = readFileSync(new URL('../../migrations/0001-pawl.sql', import.meta.url), 'utf8');

  expect(migratedTables([text])).toEqual(expect.arrayContaining(['turns', 'work', 'rounds', 'events', 'schedules']));
});
