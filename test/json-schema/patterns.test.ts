import { expect, test } from 'vitest';
import { compilePattern, findFlaw, portablePattern } from '#core/json-schema/patterns.ts';

test.each([
  ['with needless escapes', '^https\\:\\/\\/', 'https://a', 'http://a'],
  ['with an escape beside a class of characters', '^[\\w-.]+\\-\\w$', 'a.b-c', 'a b-c'],
  ['with a brace that is a character', '^{[a-z]+}$', '{a}', 'a'],
  ['with Unicode and such an escape', '^\\p{L}\\-\\p{N}$', 'ä-1', 'ä_1'],
  ['with a group of Python', '^(?P<year>\\d{4})-(?P=year)$', '2025-2025', '2025-2026'],
  ['with the ends of Python', '\\A[\\w\\-]+\\Z', 'a-b', 'a-b\n'],
  ['with an end of PCRE', '^\\d+\\z', '12', '12a'],
  ['with flags at its start', '(?i)^abc$', 'ABC', 'abd'],
  ['with several flags', '(?is)^a.c$', 'A\nC', 'AC'],
  ['with a comment', '^a(?#the first)b$', 'ab', 'a'],
  ['with an escape in a class', '^[\\@\\#]$', '@', '\\'],
])('a pattern %s is read', (_, pattern, right, wrong) => {
  const compiled = compilePattern(pattern);

  expect([compiled?.test(right), compiled?.test(wrong)]).toEqual([true, false]);
});

test.each(['^[[:alpha:]]+$', '(?x)a b', '(?>a+)b', 'a\\Kb', '\\Qa.b\\E', '^\\h+$', '(?P>name)', 'a++'])(
  'a pattern that JavaScript cannot read has no flaw: %s',
  (pattern) => {
    expect([compilePattern(pattern), findFlaw(pattern)]).toEqual([null, null]);
  },
);

test.each([
  ['(', 'Unterminated group'],
  ['a)', "Unmatched ')'"],
  ['[a', 'Unterminated character class'],
  ['a\\', '\\ at end of pattern'],
])('a pattern that no regex dialect can read has a flaw: %s', (pattern, flaw) => {
  expect([compilePattern(pattern), findFlaw(pattern)]).toEqual([null, flaw]);
});

test.each([
  ['^[a-z]{2,3}(?=x)$', '^[a-z]{2,3}(?=x)$'],
  ['^https\\:\\/\\/', '^https:\\/\\/'],
  ['^\\p{L}+$', null],
  ['(?<year>\\d+)', null],
  ['(?<!a)b', null],
  ['\\A\\d+\\Z', null],
  ['(?i)abc', null],
  ['^[\\w-.]+$', null],
  ['^[^]]', null],
])('the pattern %s becomes the portable pattern %s', (pattern, expected) => {
  expect(portablePattern(pattern)).toBe(expected);
});

test('a pattern of thousands of unclosed comments is not compiled', () => {
  expect(compilePattern(`${'(?#'.repeat(20_000)}\\Z`)).toBeNull();
});
