import { expect, test } from 'vitest';
import { countPatterns } from './patterns.ts';
import { type Kind, listFiles, readProse } from './read-prose.ts';
import { isLongTitle, LONGEST_SENTENCE, sentencesOf } from './sentences.ts';
import { wideLinesOf } from './wide-lines.ts';

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
  const long = prose.filter(isLongTitle);

  expect(
    long.map(({ path, line }) => `${path}:${line}`),
    HELP,
  ).toEqual([]);
});

test('no line of Markdown, SQL or a comment is wider than a page', () => {
  const wide = listFiles().flatMap((path) => wideLinesOf(path).map((line) => `${path}:${line}`));

  expect(wide, HELP).toEqual([]);
});
