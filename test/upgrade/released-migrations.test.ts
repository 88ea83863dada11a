import { expect, test } from 'vitest';
import { listReleases } from './release.ts';
import { findChangedMigrations, readReleasedMigrations } from './released-migrations.ts';

const FILL = 'npx node test/upgrade/fill-release.ts';

test('a released migration is the same file as in its release', () => {
  const changed = findChangedMigrations(readReleasedMigrations());

  expect(changed, `or, before the release itself, run \`${FILL}\``).toEqual([]);
});

test('a changed or missing migration of a release is reported with the remedy', () => {
  const changed = findChangedMigrations({ '0.1.0': { '0001-pawl.sql': 'of another text', '0000-none.sql': 'gone' } });

  expect(changed).toEqual([
    'migrations/0001-pawl.sql is not the file of release 0.1.0. Restore it, and add a new file for the change.',
    'migrations/0000-none.sql is not the file of release 0.1.0. Restore it, and add a new file for the change.',
  ]);
});

test('every release with migrations has a dump', () => {
  expect(listReleases().sort()).toEqual(Object.keys(readReleasedMigrations()).sort());
});
