import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILES = globSync('**/*.md', { cwd: ROOT, exclude: (name) => name === 'node_modules' || name.startsWith('.') });

const LINK = /\]\(([^)\s#]+)[^)\s]*\)/g;
const PATH = /`((?:packages|services|test|docs|migrations)\/[^`\s]*)`/g;

test('every relative link in a document leads to a file', () => {
  const broken = FILES.flatMap((file) =>
    found(file, LINK)
      .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(ROOT, dirname(file), link)))
      .map((link) => `${file}: ${link}`),
  );

  expect(broken).toEqual([]);
});

test('every path of the repository that a document names exists', () => {
  const missing = FILES.flatMap((file) =>
    found(file, PATH)
      .filter((path) => !isPattern(path) && !existsSync(join(ROOT, path)))
      .map((path) => `${file}: ${path}`),
  );

  expect(FILES).toContain('docs/architecture.md');
  expect(missing).toEqual([]);
});

function found(file: string, pattern: RegExp): string[] {
  return [...readFileSync(join(ROOT, file), 'utf8').matchAll(pattern)].map(([, path = '']) => path);
}

/** `test/tools/<kind>/` and a path with a star name many files. */
function isPattern(path: string): boolean {
  return /[<*…]/.test(path);
}
