import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scanImports } from '../arrows/scan-imports.ts';

const ROOT = new URL('../../', import.meta.url);
const ROOMS = new Map([
  ['#cli/', 'packages/cli/'],
  ['#core/', 'packages/core/'],
]);

/** Returns the packages that a program loads before its first line, by static imports of all its files. */
function packagesBefore(entry: string): string[] {
  const files = [new URL(entry, ROOT)];
  const packages = new Set<string>();
  for (const file of files) {
    // A dynamic import runs only when the program reaches its line.
    const source = readFileSync(file, 'utf8').replaceAll(/\bimport\(/g, 'load(');
    for (const { name, isType } of scanImports(source)) {
      if (isType || name === null || name.startsWith('node:')) continue;
      const found = locate(name, file);
      if (found === null) packages.add(name);
      else if (!files.some(({ href }) => href === found.href)) files.push(found);
    }
  }
  return [...packages].sort();
}

function locate(name: string, from: URL): URL | null {
  if (name.startsWith('.')) return new URL(name, from);
  const room = [...ROOMS].find(([prefix]) => name.startsWith(prefix));
  return room ? new URL(room[1] + name.slice(room[0].length), ROOT) : null;
}

test('the demo writes its first line before it loads a package', () => {
  expect(packagesBefore('demo/main.ts')).toEqual([]);
});

test('npm start writes its first line after the settings and the log are loaded', () => {
  expect(packagesBefore('services/standalone/main.ts')).toEqual(['pino', 'zod']);
});
