import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { maskCode } from './mask-code.ts';
import { readGlossary, wordsOf } from './read-glossary.ts';
import { walkSources } from './walk-sources.ts';

const ROOT = new URL('../../', import.meta.url);
const { known, refused } = readGlossary();
const sources = walkSources();

test('no identifier and no file name uses a word that the glossary refuses', () => {
  const used = sources.flatMap(({ path }) => {
    const { code } = maskCode(readFileSync(new URL(path, ROOT), 'utf8'));
    const names = new Set([...code.matchAll(/[A-Za-z_$][\w$]*/g)].map(([name]) => name));
    return [...names, path].flatMap((name) =>
      spelledOut(name).flatMap((word) => (refused.has(word) ? [`${path}: ${name} (say ${refused.get(word)})`] : [])),
    );
  });

  expect([...new Set(used)], 'docs/glossary.md says which word to use instead').toEqual([]);
});

test('each noun that turn/ exports is a word of the glossary', () => {
  const types = sources.filter(({ path }) => path.startsWith('packages/core/turn/')).flatMap(({ names }) => names);
  const nouns = types.filter((name) => /^[A-Z][a-z]/.test(name));
  const unknown = nouns.filter((name) => wordsOf(name).some((word) => !known.has(word)));

  expect(unknown, 'enter the word into docs/glossary.md, or take one that is there').toEqual([]);
});

function spelledOut(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}
