import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

test('the table of docs/operations.md has exactly the events that a process logs', () => {
  const sources = globSync('services/**/*.ts', { cwd: ROOT }).map(read);
  const logged = sources.flatMap((code) =>
    [...code.matchAll(/\bevent: '([a-z_]+\.[a-z_]+)'/g)].map(([, name]) => name),
  );
  const [, section = ''] = read('docs/operations.md').split('## The log, for programs\n');
  const rows = section.split('\n## ', 1)[0]?.match(/^\| `.*$/gm) ?? [];
  const documented = rows.slice(1).flatMap((row) => row.split('|')[1]?.match(/[a-z_]+\.[a-z_]+/g) ?? []);

  expect([...new Set(logged)].sort()).toEqual(documented.sort());
});
