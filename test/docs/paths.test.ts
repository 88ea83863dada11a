import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILES = globSync('**/*.md', { cwd: ROOT, exclude: (name) => name === 'node_modules' || name.startsWith('.') });

const LINK = /\]\(([^)\s#]+)[^)\s]*\)/g;
const ANCHOR = /\]\(((?:[^)\s#:]+\.md)?)#([^)\s]+)\)/g;
const PATH = /`((?:packages|services|test|docs|migrations)\/[^`\s]*)`/g;

test('every relative link in a document leads to an existing file', () => {
  const broken = FILES.flatMap((file) =>
    found(file, LINK)
      .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(ROOT, dirname(file), link)))
      .map((link) => `${file}: ${link}`),
  );

  expect(broken).toEqual([]);
});

test('every link to a heading in a document leads to an existing heading', () => {
  const broken = FILES.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(ANCHOR)].flatMap(([, path = '', anchor = '']) => {
      const target = path ? join(dirname(file), path) : file;
      return anchorsOf(target).includes(anchor) ? [] : [`${file}: ${path}#${anchor}`];
    }),
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

/** Returns the anchors of a document, as GitHub names them after its headings. */
function anchorsOf(file: string): string[] {
  const headings = readFileSync(join(ROOT, file), 'utf8').match(/(?<=^#+ ).+$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns whether a path names many files: `test/tools/<kind>/`, or a path with a star. */
function isPattern(path: string): boolean {
  return /[<*…]/.test(path);
}
