import { expect, test } from 'vitest';
import { renderOutput } from '#core/tools/run/render-output.ts';

const LIMIT = 65_536;

const render = (value: unknown, limit: number) => renderOutput(value, limit, (text) => text);

test.for([
  ['text as it is', 'Hello', 'Hello'],
  ['nothing as empty text', undefined, ''],
  ['null as JSON', null, 'null'],
  ['an object as JSON', { a: [1, true] }, '{"a":[1,true]}'],
  ['a date as JSON', new Date(0), '"1970-01-01T00:00:00.000Z"'],
] as const)('an output is rendered: %s', ([, value, content]) => {
  expect(render(value, LIMIT)).toEqual({ content, truncated: false, full: content, partial: false });
});

test('NUL and unpaired surrogates become replacement characters', () => {
  const { content } = render('a\u0000b\ud800c', LIMIT);

  expect(content).toBe('a\uFFFDb\uFFFDc');
});

test('other control characters are replaced, except tabs and line ends', () => {
  const { content } = render('one\ttwo\r\n\u001b[31mred\u0007\u0085', LIMIT);

  expect(content).toBe('one\ttwo\r\n\uFFFD[31mred\uFFFD\uFFFD');
});

test.for([
  ['a bigint', { n: 1n }, /BigInt/],
  ['a cycle', cycle(), /circular/],
  ['a function', () => {}, /it is a function/],
  ['a symbol', Symbol('s'), /it is a symbol/],
] as const)('%s is an error with a reason, not a crash', ([, value, reason]) => {
  expect(() => render(value, LIMIT)).toThrow(reason);
});

test('an output of exactly the limit is not truncated', () => {
  expect(render('é'.repeat(50), 100)).toMatchObject({ content: 'é'.repeat(50), truncated: false });
});

test('an output over the limit keeps head and tail, with a note in between', () => {
  const text = `${'a'.repeat(60)}${'b'.repeat(60)}`;

  const { content, truncated, full } = render(text, 100);

  expect(content).toBe(`${'a'.repeat(50)}\n[… 20 bytes cut …]\n${'b'.repeat(50)}`);
  expect(truncated).toBe(true);
  expect(full).toBe(text);
});

test.for([1, 2, 3, 5, 9, 10, 11, 101])('a cut at %i bytes never splits a character', (limit) => {
  const { content } = render('🙂é'.repeat(100), limit);
  const kept = content.replace(/\n\[… \d+ bytes cut …\]\n/, '');

  expect(content.isWellFormed()).toBe(true);
  expect(content).not.toContain('\uFFFD');
  expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(limit);
});

test('the full output is bounded too', () => {
  const { full, truncated, partial } = render('x'.repeat(5_000_000), LIMIT);

  expect(full.length).toBeLessThan(4_200_000);
  expect([truncated, partial]).toEqual([true, true]);
  expect(render('x'.repeat(LIMIT + 1), LIMIT)).toMatchObject({ truncated: true, partial: false });
});

function cycle(): object {
  const self: Record<string, unknown> = {};
  self.self = self;
  return self;
}
