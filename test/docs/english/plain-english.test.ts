import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countPatterns } from './patterns.ts';
import { type Kind, listFiles, readProse } from './read-prose.ts';
import { LONGEST_SENTENCE, sentencesOf } from './sentences.ts';

/** The most that a pattern may occur in 1,000 words of a kind of text. A budget may become smaller, never larger. */
const BUDGETS: Record<Kind, number> = {
  readme: 1,
  docs: 0.5,
  decisions: 0.5,
  changelog: 1,
  strings: 0.8,
  comments: 0.5,
  titles: 0.5,
};

/** Lines of Markdown and of comments end here. */
const COLUMNS = 120;

const HELP = '`node test/docs/english/main.ts <path>` lists each place with advice';
const prose = readProse();
const kinds = Object.keys(BUDGETS) as Kind[];

test.each(kinds)('the patterns of unclear sentences are rare in: %s', (kind) => {
  const counts = countPatterns(prose.filter((each) => each.kind === kind).map(({ text }) => text));

  console.log(`${kind}: ${JSON.stringify(counts)}`);
  expect(Object.entries(counts).filter(([, count]) => count > BUDGETS[kind])).toEqual([]);
});

test('no sentence is longer than a reader can hold', () => {
  const long = prose.flatMap((each) =>
    sentencesOf(each).flatMap(({ line, words }) => (words > LONGEST_SENTENCE ? [`${each.path}:${line}`] : [])),
  );

  expect(long, HELP).toEqual([]);
});

test('no title of a test is longer than 80 characters', () => {
  const long = prose.filter(({ kind, text }) => kind === 'titles' && text.length > 80);

  expect(long.map(({ path, line }) => `${path}:${line}`)).toEqual([]);
});

test('no line of Markdown, SQL or a comment is wider than a page', () => {
  const wide = listFiles().flatMap((path) => {
    const source = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
    return source.split('\n').flatMap((line, index) => (isWide(path, line) ? [`${path}:${index + 1}`] : []));
  });

  expect(wide, HELP).toEqual([]);
});

function isWide(path: string, line: string): boolean {
  return line.length > COLUMNS && (/\.(?:md|sql)$/.test(path) || /^\s*(?:\/\/|\/?\*)/.test(line));
}
