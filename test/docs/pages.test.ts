import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const cwd = new URL('../../docs/', import.meta.url);

test('docs/README.md links every page', () => {
  const index = readFileSync(new URL('README.md', cwd), 'utf8');
  const pages = globSync('*.md', { cwd }).filter((page) => page !== 'README.md');

  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
});
