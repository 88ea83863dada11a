import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = new URL('../../packages/core/checkpoint/', import.meta.url);

/** Files that run separate statements on purpose: a probe, migrations, a count without a disk, and the admission. */
const ALONE = ['connect.ts', 'migrate.ts', 'count-requests.ts', 'admit-turns.ts'];

/** Matches a statement outside a transaction that does not declare whether it reads or writes. */
const UNMARKED = /\.execute\(\s*db\b|\bdb\s*\.(?:selectFrom|insertInto|updateTable|deleteFrom)\b[^;]*\.execute/;

test('each statement outside a transaction declares whether it reads or writes', () => {
  const files = globSync('**/*.ts', { cwd: FOLDER }).filter((file) => !ALONE.includes(basename(file)));
  const unmarked = files.filter((file) => UNMARKED.test(readFileSync(new URL(file, FOLDER), 'utf8')));

  expect(files.length).toBeGreaterThan(20);
  expect(unmarked, 'run it with read(db, …) or write(db, …) of packages/core/postgres/read-write.ts').toEqual([]);
});

test('the search finds undeclared statements', () => {
  expect('await sql`delete from turns`.execute(\n    db,\n  );').toMatch(UNMARKED);
  expect("return db\n    .selectFrom('turns')\n    .select('id')\n    .executeTakeFirst();").toMatch(UNMARKED);
});
